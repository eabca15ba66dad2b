"""sys.excepthook replaced: own report, exit code still 1."""
import sys
import traceback


def hook(kind, value, tb):
    print("HOOK", kind.__name__, value, file=sys.stderr)
    for frame in traceback.extract_tb(tb):
        print("  at", frame.lineno, frame.name, "|", frame.line, file=sys.stderr)
    print("stdout from hook")
    sys.__excepthook__(kind, value, tb.tb_next)


sys.excepthook = hook


def level_two(x):
    return [10 // (n - x) for n in range(3)]


def level_one():
    return level_two(
        1,
    )


print("start")
level_one()
