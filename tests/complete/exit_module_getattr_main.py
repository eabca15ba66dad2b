"""State of sys.modules['__main__'], __name__, __file__, __spec__ and friends."""
import os
import sys

main = sys.modules["__main__"]
x = 1
print(__name__, main.__name__, main.x, main.__dict__ is globals())
print(os.path.basename(__file__), __doc__, __package__, __spec__)
print(type(__loader__).__name__ in ("SourceFileLoader", "type"), type(__builtins__).__name__)
print(os.path.basename(sys.argv[0]), len(sys.argv))
print(sorted(n for n in globals() if not n.startswith("__")))
print(sorted(n for n in globals() if n.startswith("__")))
main.y = 5
print(y + x)
del main.x
try:
    x
except NameError as e:
    print(e)
setattr(main, "print", lambda *a: sys.stdout.write("P:" + " ".join(map(str, a)) + "\n"))
print("through main", 1)
del print
print("normal again")
print(__annotations__ if "__annotations__" in globals() else "no annotations")
