"""One-line suites, semicolons, pass/ellipsis bodies, compound on one line."""
x = 1; y = 2; print(x, y);
if x: print("if"); y += 1
elif y: print("elif")
else: print("else"); y -= 1
if not x: pass
else: print("y", y); x = 0
for i in range(3): print(i, end=" "); x += i
else: print("for else", x)
while x: x -= 1; y += 1
else: print("while else"); print(x, y)
try: print("try"); 1 / 0; print("never")
except (ZeroDivisionError, OSError) as e: print("except", e); y = None
else: print("else")
finally: print("finally"); z = 5
with open("/dev/null") as fh: data = fh.read(); print(repr(data))
def f(a, b=2): a += b; return a * b
def g(): yield 1; yield 2; return
def h(): pass
def k(): ...
def m(): global x; x = "set"; return x
class A: v = 1; w = v + 1
class B(A): pass
class C: ...; u = 1
class D:
    def one(self): return 1
    def two(self): self.q = 2; return self.q
    @staticmethod
    def three(): return 3
    s = one; t = lambda self: self.one() + self.two(); print("class body")
async def co(): return 1; print("never")
@lambda fn: fn
def deco(): return "decorated"; 
l = lambda: 1; print(f(1), list(g()), h(), k(), m(), A.w, B().v, C.u, D().t(), D.three(), deco(), l())
import os, sys; from math import pi as p, floor; print(floor(p))
a = b = c = 0; a += 1; b -= 1; del c; print(a, b); assert a; assert b, "msg"
if a: \
    print("continued")
if a: (
    print("paren"),
    print("paren2")
); print("same line")
if True: d = {
    "k": [1,
          2],
}; print(d)
print("one"), print("two"); print("three") if a else print("four"); [print(q) for q in "ab"]; {print("set")}
for i in 1, 2: \
    print(i); print(-i)
if a: """string statement"""; print("after string")
if a: return_ = 1; raise_ = 2; yield_ = 3
print(return_, raise_, yield_); x: int = 3; print(x)
def n():
    if a: return "early"; print("never")
    return "late"
def o():
    for i in range(5): 
        if i == 1: continue; print("never")
        if i == 3: break; print("never")
        print("o", i)
    nonlocal_ = 1; return nonlocal_
print(n()); print(o());
try: raise ValueError("x") from None; print("never")
except ValueError: pass; pass; print("passed")
while True: break; print("never")
if 0: print("dead"); undefined_call()
if __name__ == "__main__": print("main"); sys.exitcode = 0
...; None; 1; "s"; x; (); [x, y]; -x; not x
print("end"); # comment after semicolon
