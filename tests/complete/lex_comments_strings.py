#!/usr/bin/env python3
# A comment mentioning coding nothing special: def f(): return 'x' # not code
"""Strings and comments that look like code; prefixes of every kind."""
# if x: print("commented")
s = "# not a comment"  # but this is
t = 'he said "hi" and \'bye\''
u = """triple "quoted" with
# hash inside
    def fake(): return 1
\tescaped tab, real	tab
end"""
v = r"raw \n \" quote" + R'\d' + b"bytes \xff \n".decode("latin-1") + rb"\x".decode() + Rb'\y'.decode() + bR"""\z""".decode()
w = "\x41\u0042\U00000043\103\N{LATIN SMALL LETTER E WITH ACUTE}\
\
joined"
for item in (s, t, u, v, w):
    print(repr(item))
print('''a''' """b""" 'c' "d" u"e" U'f' r'g' F"{'h'}" fr"{'i'}\n" Rf'{"j"}')
print("", '', """""", '''''' "x", r"", b"", f"", f"""""", rb'' b"")
print('"""', "'''", '\'', "\"", "\\", "\\'", '\\"', "a\
b")
print("{not} {fstring}", "{{}}", "%s {}" % 1, "{0!r:>4}".format("q"))
print(len("\r\n\t\0\a\b\f\v\\\'\""), ascii("\r\n\t\0\a\b\f\v"), "tab\there")
x = 1 # trailing comment with "quotes and 'apostrophes
if x: # comment after colon
    # comment before the body

    print("body") # comment after body

# dedented comment
    print("still in the body")
        # over-indented comment
else: # else comment
    pass
# comment between
def f( # comment in signature
    a, # comment a
    # whole-line comment
    b=2 # comment b
    ): # after colon
    # leading comment
    "docstring after comment" # comment after the doc
    # comment
    return a + b # comment after return
    # trailing comment in body
# after body
print(f(1), f.__doc__)
d = { # open
    "k": 1, # one
    # lonely
    "l": 2 # two
} # close
print(d, d["k"]) # end
class A: # class comment
    # only comment then

    x = """not # a comment""" # comment
print(A.x)
print("semi;colon"); print('in; string') # ; in comment
print("#", '#'); y = "#" "#" # "#"
lines = """
first
second # x
""".strip().splitlines() # method on triple string
print(lines, """a
b""".upper(), len("""

"""))
"just an expression string"; f"also {x} evaluated"; b"bytes"; ("paren string"
 " joined")
print("é", "日本", "\u00e9" == "é", len("e\u0301"), "🎉", len("🎉"), "🎉"[0]); z = "🎉" + s; print(z)
# type: ignore
# fmt: off
print(1) # noqa: E501
# the last line is a comment without a newline
