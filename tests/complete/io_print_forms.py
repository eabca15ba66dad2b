"""print with sep, end, file, flush; write; interleaved stdout and stderr."""
import io
import sys

print(1, "two", 3.0, None, sep=", ", end=";\n")
print(*"abc", sep="")
print("no newline", end="")
print()
print("a", "b", sep="\n")
print("to err", file=sys.stderr)
print("flushed", flush=True)
sys.stdout.write("written\n")
print(sys.stdout.write("count\n"), sys.stderr.write("err count\n"))
buf = io.StringIO()
print("x", "y", file=buf, sep="|", end="END")
print(repr(buf.getvalue()))


class Writer:
    def __init__(self): self.parts = []
    def write(self, s): self.parts.append(s)
    def flush(self): self.parts.append("<flush>")


w = Writer()
print("a", 1, file=w, flush=True); print(file=w); print(end="", file=w)
print(w.parts)
old, sys.stdout = sys.stdout, w
print("captured", [1, 2])
sys.stdout = old
print(w.parts[-4:])


class Show:
    def __str__(self): print("(str called)", end=""); return "shown"
    def __repr__(self): print("(repr called)", end=""); return "repr"


print(Show(), [Show()], f"{Show()} {Show()!r}", "%s %r" % (Show(), Show()))
for bad in ({"sep": 1}, {"end": b""}, {"file": 5}, {"nope": 1}):
    try: print("x", **bad)
    except (TypeError, AttributeError) as e: print(type(e).__name__, e)
print(None, True, ..., NotImplemented, int, print, len, type)
print("é日本🎉", "tab\tnul\0end".replace("\0", "0"), "\x1b[0m".encode(), sep=" | ")
for i in range(3):
    print("out", i, flush=True); print("err", i, file=sys.stderr, flush=True)
p = print
p("aliased"); (print)("parens"); (lambda *a: print(*a))("in", "lambda"); [print(x, end=",") for x in range(3)]; print()
print(print("inner")); print(print, file=io.StringIO()); print("multi",
      "line",
      sep="/"
      )
sys.stdout.writelines(["l1\n", "l2\n"]); sys.stdout.buffer.flush() if hasattr(sys.stdout, "buffer") else None
try: print("\ud800".encode("utf-8", "surrogatepass"), ascii("\ud800"))
except UnicodeError as e: print(e)
from pprint import pprint, pformat
pprint({"k": list(range(30)), "nested": {"a": (1, 2), "b": [{"c": None}] * 2}}, width=40)
print(pformat([1, [2]]), end="|end\n"); print("%-5s|%5s|%05.1f|%x" % ("a", "b", 2.345, 255)); print("last", end="")
