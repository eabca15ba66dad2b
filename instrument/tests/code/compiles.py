"""Compiles pairs of a source and its rewritten text for the tests; both come and go over the standard streams.

A text comes as its length in bytes (four, little-endian) and its UTF-8. The answer is two lines: what CPython says of
the source and of the rewritten text, empty where it compiles. The second text is looked at only if the source compiles.
"""

import struct
import sys
import warnings


def read():
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        sys.exit()
    (length,) = struct.unpack("<I", head)
    return sys.stdin.buffer.read(length).decode("utf-8")


def problem(text):
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def answer(text):
    print(text.replace("\n", " ").encode("ascii", "backslashreplace").decode(), flush=True)


def main():
    warnings.simplefilter("ignore")
    while True:
        source, rewritten = read(), read()
        refused = problem(source)
        answer(refused)
        answer("" if refused else problem(rewritten))


main()
