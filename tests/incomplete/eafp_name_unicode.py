try:
    unicode
except NameError:
    unicode = str

try:
    string_types = (basestring,)
except NameError:
    string_types = (str,)

try:
    range_ = xrange
except Exception:
    range_ = range

print(isinstance("a", string_types), unicode(5), list(range_(2)))
