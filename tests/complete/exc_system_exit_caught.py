"""SystemExit, KeyboardInterrupt, GeneratorExit and bare except."""
import sys


def run(f):
    try:
        f()
    except SystemExit as e:
        print("SystemExit", repr(e.code), e.args)
    except KeyboardInterrupt as e:
        print("KeyboardInterrupt", e.args)
    except BaseException as e:
        print("base", type(e).__name__, e.args)
    else:
        print("returned")


def raise_with(*args):
    raise SystemExit(*args)


def keyboard():
    raise KeyboardInterrupt("ctrl", "c")


def gen_exit():
    raise GeneratorExit("manual")


run(sys.exit)
run(lambda: sys.exit(None))
run(lambda: sys.exit(3))
run(lambda: sys.exit("message"))
run(lambda: sys.exit(True))
run(lambda: sys.exit((1, 2)))
run(lambda: raise_with())
run(lambda: raise_with(1, 2, 3))
run(lambda: raise_with([1]))
run(lambda: exit(4))
run(lambda: quit("q"))
run(keyboard)
run(gen_exit)
run(lambda: None)

try:
    sys.exit(9)
except:
    kind, value, tb = sys.exc_info()
    print("bare", kind.__name__, value.code, tb.tb_lineno)
print(sys.exc_info())


def worker():
    try:
        while True:
            got = yield "ready"
            print("got", got)
    except GeneratorExit:
        print("closing")
        raise
    finally:
        print("cleanup")


w = worker()
print(next(w), w.send(1))
w.close()
w.close()


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        yield 2


s = stubborn()
next(s)
try:
    s.close()
except RuntimeError as e:
    print(e)
try:
    try:
        sys.exit("inner")
    finally:
        print("finally runs")
except SystemExit as e:
    print("outer", e)
