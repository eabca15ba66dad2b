"""with statements: many items, targets, exceptions, ExitStack, suppress."""
import contextlib
import io


class CM:
    def __init__(self, name, swallow=False, value=None):
        self.name, self.swallow, self.value = name, swallow, value

    def __enter__(self):
        print("+" + self.name, end=" ")
        return self.value if self.value is not None else self

    def __exit__(self, t, v, tb):
        print("-" + self.name, t.__name__ if t else None, end=" ")
        return self.swallow


with CM("a") as a, CM("b") as b: print(a.name, b.name, end=" ")
print()
with CM("t", value=(1, [2, 3])) as (x, [y, z]): print(x, y, z)
with CM("s", True): raise ValueError
print("swallowed")
with CM("out", True), CM("in"): {}["k"]
print()


def ret():
    with CM("r"):
        return "returned"


def loop():
    for i in range(3):
        with CM(str(i)):
            if i == 0: continue
            if i == 1: break
    return i


print(ret(), loop())
with contextlib.suppress(KeyError, IndexError): [][0]
with contextlib.suppress(ZeroDivisionError):
    print("before"); 1 // 0; print("never")
with contextlib.ExitStack() as stack:
    cms = [stack.enter_context(CM(n)) for n in "xyz"]
    stack.callback(print, "callback", 1, end=" | ")
    stack.push(lambda *exc: print("push", exc[0], end=" "))
print()


@contextlib.contextmanager
def tag(name, *, out=None):
    buf = io.StringIO() if out is None else out
    buf.write(f"<{name}>")
    try:
        yield buf
    except KeyError as e:
        buf.write(f"!{e}")
    finally:
        buf.write(f"</{name}>")


with tag("p") as out, tag("b", out=out):
    out.write("text")
    raise KeyError("inside")
print(out.getvalue())


@tag("decorated")
def f(): return "called"


print(f())
with contextlib.redirect_stdout(io.StringIO()) as cap:
    print("captured"); print("more", file=cap)
print(repr(cap.getvalue()))
try:
    with CM("fails") as q:
        raise OSError("body")
except OSError as e:
    print("outside", e)
with contextlib.closing(io.StringIO("data")) as fh: print(fh.read())
print(fh.closed)
with contextlib.nullcontext(5) as n, CM("last") as last: print(n, last.name, end=" ")
print()
for bad in ("with 5: pass", "with CM: pass", "with CM('x') as 1: pass"):
    try: exec(bad)
    except (TypeError, AttributeError, SyntaxError) as e: print(type(e).__name__)
class Half:
    def __enter__(self): raise RuntimeError("enter failed")
    def __exit__(self, *a): print("never exits")
try:
    with CM("first"), Half(): pass
except RuntimeError as e: print(e)
obj = type("O", (), {})(); d = {}
with CM("attr") as obj.cm, CM("item") as d["cm"]: print(obj.cm.name, d["cm"].name, end=" ")
with CM("d", value=0): pass
print(); print("last") \
    if d else print("not printed")
