"""SyntaxError, IndentationError and TabError through compile/exec/eval/ast."""
import ast

SAMPLES = [
    "x = = 1",
    "print 'hello'",
    "if x\n    pass",
    "def f(:\n  pass",
    "return 5",
    "x = (1,\n     2",
    "  indented = 1",
    "if 1:\npass",
    "if 1:\n        a\n    b\n",
    "if 1:\n\tx=1\n        y=2\n",
    "'unterminated",
    "a b c",
    "f(a for a in b, c)",
    "def f(a, a): pass",
    "nonlocal x",
    "def f():\n    x = 1\n    global x",
    "break",
    "class C: continue",
    "await x",
    "None = 1",
    "f() = 2",
    "x + 1 = 2",
    "del f()",
    "1 += 2",
    "lambda: (yield",
    "f'{'",
    "f'{a!z}'",
    "'\\N{no such name}'",
    "b'\u00e9'",
    "from __future__ import no_feature",
    "a = 0777",
    "1__0",
    "import a.b as",
    "*a",
    "async def f(): yield from x",
    "else: pass",
    "{1: 2, 3}",
    "x = \u201cquoted\u201d",
]

for src in SAMPLES:
    try:
        compile(src, "<sample>", "exec")
    except SyntaxError as e:
        print(repr(src), "|", type(e).__name__, "|", e.msg, "|", e.lineno, e.offset,
              repr(e.text), e.filename)
    else:
        print(repr(src), "compiled")

for mode, src in (("eval", "x = 1"), ("single", "a\nb"), ("eval", "")):
    try:
        compile(src, "<m>", mode)
    except SyntaxError as e:
        print(mode, e.msg)
try:
    exec("def broken(:\n   pass")
except SyntaxError as e:
    print("exec", e.lineno, e.filename)
try:
    ast.literal_eval("open('x')")
except ValueError as e:
    print("literal_eval", str(e).split(":")[0].split(" at ")[0])
try:
    eval("1 +\0 2")
except (SyntaxError, ValueError) as e:
    print(e)
