"""traceback.format_exc, print_exc, extract_stack, walk_tb, TracebackException."""
import sys
import traceback


def level3(d):
    return d["k"] + d[
        "missing"]


def level2(d):
    try:
        return level3(d)
    except KeyError as e:
        raise ValueError("level2 failed") from e


def level1(d): return level2(d)


try:
    level1({"k": 1})
except ValueError as e:
    text = traceback.format_exc()
    print(text.replace(__file__, "FILE"))
    print([(f.lineno, f.name, f.line) for f in traceback.extract_tb(e.__traceback__)])
    print(traceback.format_exception_only(type(e), e), traceback.format_tb(e.__traceback__)[-1].replace(__file__, "FILE"))
    te = traceback.TracebackException.from_exception(e, capture_locals=False)
    print(str(te), te.__cause__.exc_type.__name__ if sys.version_info < (3, 13) else te.__cause__.exc_type_str, len(te.stack))
    traceback.print_exc(limit=1)
    traceback.print_exception(type(e), e, e.__traceback__, chain=False, file=sys.stderr)
    short = "".join(traceback.format_exception(type(e), e, e.__traceback__, limit=-1, chain=False))
    print(short.replace(__file__, "FILE"))
    for frame, lineno in traceback.walk_tb(e.__traceback__):
        print("walk", frame.f_code.co_name, lineno, sorted(k for k in frame.f_locals if k in "de"))


def stack():
    return [(f.name, f.lineno, f.line) for f in traceback.extract_stack()]


def via(fn, *a): return (lambda: fn(*a))()


for row in via(stack):
    print(row)
traceback.print_stack(limit=1)
via(lambda: traceback.print_stack(file=sys.stderr))
try:
    1 / 0
except ZeroDivisionError:
    exc = sys.exc_info()
    try:
        raise LookupError("nested") from None
    except LookupError:
        print(traceback.format_exc().count("Traceback"), sys.exc_info()[0].__name__)
    print(sys.exc_info()[0].__name__, sys.exc_info()[1] is exc[1])
print(traceback.format_exc())
traceback.clear_frames(exc[2])
try:
    exec(compile("def f():\n  g()\ndef g():\n  raise OSError('deep')\nf()", "<generated>", "exec"), {})
except OSError:
    print(traceback.format_exc().replace(__file__, "FILE"))
def locals_shown(secret=1):
    value = [secret, "v"]
    return value[secret + 1]
try: locals_shown()
except IndexError as e:
    t = traceback.TracebackException(type(e), e, e.__traceback__, capture_locals=True)
    print({k: v for k, v in sorted(t.stack[-1].locals.items())})
