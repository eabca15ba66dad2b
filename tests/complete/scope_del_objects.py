"""Objects die at once when the last name goes: scopes, args, exceptions, generators."""


class D:
    alive = 0

    def __init__(self, tag):
        self.tag = tag
        D.alive += 1

    def __del__(self):
        D.alive -= 1
        print(f"<{self.tag} dies>", end=" ")

    def __enter__(self):
        return self

    def __exit__(self, *a):
        print("exit", end=" ")

    def __add__(self, o):
        return D(self.tag + o.tag)

    def __iter__(self):
        yield self.tag
        yield self.tag * 2

    def get(self):
        return self.tag

    def __bool__(self):
        return self.tag != "falsy"

    def __call__(self, *a):
        return len(a)


def mark(text):
    print(text, D.alive)


mark("start")
D("discarded"); mark("| expr statement")
D("call").get(); mark("| method call")
x = D("a") + D("b"); mark("| sum")
x = x + D("c"); mark("| rebinding")
x = None; mark("| none")
if D("cond"): mark("| if body")
if D("falsy") or D("other"): mark("| or body")
while D("falsy"): pass
mark("| while")
for t in D("iterated"): print(t, end=" ")
mark("| for over"); print([t for t in D("comp")], end=" "); mark("| comp")
with D("cm"): mark("| with body")
mark("| with over")
with D("cm2") as x: pass
x = 0; mark("| with as")
D("callee")(D("arg1"), D("arg2")); mark("| call args")


def f(p, q=None):
    mark("| in f")
    p = None
    mark("| p cleared")
    return q


f(D("param")); mark("| f done")
print(f(D("p"), D("q")).tag, end=" "); mark("| returned")
def g():
    try: raise KeyError(D("exc"))
    except KeyError as e: r = e.args[0].get()
    mark("| handler left"); return r
g(); mark("| g done")
def h(): local = D("local"); raise ValueError("h")
try: h()
except ValueError: mark("| in handler")
mark("| after handler")
def gen():
    held = D("held")
    yield 1
    yield held.tag
it = gen(); next(it); mark("| gen running")
it = None; mark("| gen dropped")
lst = [D(str(i)) for i in range(3)]; lst.pop(); mark("| pop")
lst[0] = lst[1]; mark("| overwrite"); lst = lst[:1]; mark("| slice"); del lst; mark("| del")
d = {"k": D("v")}; d["k"] = 1; mark("| dict"); f2 = lambda d=D("default"): 0; f2(); del f2; mark("| lambda")
class Holder: member = D("member")
Holder.member = 2; mark("| class attr")
a = b = D("shared"); a = 1; mark("| one left"); b = 1; mark("| none left")
a, b = D("t1"), D("t2"); a, b = b, a; mark("| swapped"); a = b = 0; mark("| gone")
(D("u1"), D("u2"))[1].get(); mark("| tuple"); print(f"{D('fs').tag}", end=" "); mark("| fstring")
y = D("x") if D("test") else D("never"); mark("| ifexp"); del y; mark("| y")
assert D("assert"); mark("| assert"); D("l").tag, D("r").tag; mark("| tuple expr")
1 < len(D("cmp").tag) < 9; mark("| compare"); [D("sub")][0].tag; mark("| subscript")
(z := D("walrus")); z = 0; mark("| walrus"); print(*D("star"), end=" "); mark("| star")
def deco(fn): return fn
@(D("deco") and deco)
def decorated(k=D("kdef")): pass
mark("| decorated"); del decorated; mark("| end")
try: raise RuntimeError(D("uncaught arg")) from None
except RuntimeError as e: e = None; mark("| e cleared")
mark("| last")
