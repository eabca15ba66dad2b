"""exec, eval and compile with and without namespaces, inside functions and classes."""
x = "module x"
ns = {"a": 1}
exec("b = a + 1\ndef f(n): return n * b", ns)
print(ns["b"], ns["f"](10), sorted(k for k in ns if k[0] != "_"), "__builtins__" in ns)
print(eval("x.upper()"), eval("a + b", ns), eval("[i for i in range(n)]", {"n": 3}), eval("q + a", ns, {"q": 5}))
exec("y = x + '!'")
print(y)


def inside(p):
    local = p * 2
    r = eval("local + p")
    exec("invisible = local")
    exec("p = 'changed?'")
    return r, p, sorted(k for k in locals() if k in ("p", "local", "invisible"))


print(inside(4)[:2])


def with_ns():
    x = "local x"
    l = {}
    exec("x2 = x; x = 'exec x'", globals(), l)
    exec("def g(): return x\nout = g()", globals(), l)
    return l["x2"], l["x"], l["out"], x


print(with_ns())


def closure_eval():
    hidden = 1
    seen = 2
    def inner():
        seen
        try:
            return eval("hidden")
        except NameError as e:
            return str(e), eval("seen")
    return inner()


print(closure_eval())


class K:
    attr = 5
    doubled = eval("attr * 2")
    exec("made = attr + 1\ndef meth(self): return self.made")
    names = sorted(n for n in eval("dir()") if not n.startswith("_"))


print(K.doubled, K.made, K().meth(), K.names)
code = compile("total = sum(v for v in vals)\nprint('in code', total)\ntotal", "<c>", "exec")
env = {"vals": [1, 2]}
exec(code, env); env["vals"] = [10]; exec(code, env)
print(env["total"], code.co_filename, code.co_names[:2])
print(eval(compile("1 + 2", "<e>", "eval")), exec(compile("3 + 4; x", "<s>", "single")))
exec(compile("if 1:\n    z = 5\n", "<s>", "single")); print(z)


class Lazy(dict):
    def __missing__(self, k):
        return f"<{k}>"


print(eval("alpha + beta", {}, Lazy()), eval("(lambda: 1)()", {}, Lazy()))
for src in ("undefined_q", "1/0", "x.nope", "(", "print(", "[][1]"):
    try:
        eval(src)
    except Exception as e:
        print(src, type(e).__name__, e.args[0])
try:
    eval("len([])", {"__builtins__": {}})
except NameError as e:
    print(e)
exec("import math as m; from os import path")
print(m.floor(2.5), path.basename("a/b"))
def outer_fn():
    def target(): return "target", q
    q = 3
    return eval("target()", {"target": target}), eval("lambda k=q: k")()
print(outer_fn())
exec("class Made:\n    'doc'\n    def __init__(self): self.v = x\nobj = Made()"); print(obj.v, Made.__doc__, Made.__module__)
exec("global gg\ngg = 1"); print(gg); exec("for loopvar in range(3): pass"); print(loopvar)
f = eval("lambda *a, **k: (a, k)"); print(f(1, b=2), f.__name__, f.__module__)
print(eval(repr([1, {"a": (2, 3.5)}, None])), eval("__name__"), eval("(w := 6)"), w)
g = {}; exec("def rec(n): return 1 if n < 2 else n * rec(n - 1)", g); print(g["rec"](10))
import ast; tree = ast.parse("v = 1 + 2"); tree.body[0].value.op = ast.Mult(); exec(compile(tree, "<ast>", "exec")); print(v)
print(eval(b"1 + 1"), eval("  5"), exec("") is None, [eval("i * 2", {"i": i}) for i in range(3)])
