try:
    import simplejson_missing as json
except ImportError:
    import json

try:
    from cStringIO import StringIO
except ImportError:
    from io import StringIO

buf = StringIO()
buf.write(json.dumps([1, 2]))
print(buf.getvalue())
