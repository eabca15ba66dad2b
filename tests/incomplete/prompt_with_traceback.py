>>> s = "spam"
>>> t = tokenize_text(s)
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
NameError: name 'tokenize_text' is not defined
>>> print(s.upper())
SPAM
