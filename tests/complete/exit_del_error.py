"""An exception in __del__ is 'ignored' and printed to stderr."""
import sys


class Fragile:
    def __init__(self, level):
        self.level = level

    def __del__(self):
        sys.stdout.flush()
        if self.level:
            raise RuntimeError("level %d" % self.level)

    def __repr__(self):
        return "<fragile>"


def hook(info):
    print("unraisable", info.exc_type.__name__, info.exc_value, info.err_msg,
          getattr(info.object, "__qualname__", None), info.exc_traceback.tb_lineno)


sys.unraisablehook = hook
f = Fragile(1)
f = Fragile(2)
del f
Fragile(0)
print([Fragile(3).level, Fragile(4).level])
sys.unraisablehook = sys.__unraisablehook__
print("done")
