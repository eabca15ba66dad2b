"""Uncaught: error under a main guard, with a main() returning a code."""
import sys


def parse(argv):
    options = dict(pair.split("=") for pair in argv)
    return options


def main(argv=None):
    argv = ["a=1", "b=2"] if argv is None else argv
    print(parse(argv))
    print("stderr line", file=sys.stderr)
    return parse(["c=3", "d"])


if __name__ == "__main__":
    sys.exit(main())
else:
    print("imported")
