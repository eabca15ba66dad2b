"""An excepthook that itself raises: both tracebacks are printed."""
import sys


def hook(kind, value, tb):
    print("in hook", kind.__name__, flush=True)
    raise RuntimeError("hook broke on " + str(value))


sys.excepthook = hook


def main():
    data = {"a": 1}
    return data["a"] + data["b"]


main()
