"""Runs a program and prints which line followed which in one frame, for the test of the control flow graph.

A step is the first line of the code object (0 for the module) and two lines: 0 in place of the first stands for the
entry of the frame, -1 and -2 in place of the second for its return and for an exception that leaves it.
"""

import dis
import inspect
import sys

# What they yield looks like an exception that leaves them.
SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def main():
    filename = sys.argv[1]
    steps = set()
    last_lines = {}

    def trace(frame, event, _):
        code = frame.f_code
        if code.co_filename != filename or code.co_name.startswith("<") and code.co_name != "<module>":
            return None
        # A generator goes on where it stopped.
        last = last_lines.setdefault(frame, 0)
        scope = 0 if code.co_name == "<module>" else code.co_firstlineno
        if event == "line":
            steps.add((scope, last, frame.f_lineno))
            last_lines[frame] = frame.f_lineno
        elif event == "return":
            operation = dis.opname[code.co_code[frame.f_lasti]]
            if "RETURN" in operation and "GENERATOR" not in operation:
                steps.add((scope, last, -1))
            elif not code.co_flags & SUSPENDABLE:
                steps.add((scope, last, -2))
        return trace

    with open(filename, encoding="utf-8") as file:
        code = compile(file.read(), filename, "exec", dont_inherit=True)
    sys.argv = [filename]
    output, sys.stdout = sys.stdout, sys.stderr
    sys.settrace(trace)
    try:
        exec(code, {"__name__": "__main__", "__file__": filename})
    except BaseException as error:
        print(repr(error), file=sys.stderr)
    finally:
        sys.settrace(None)
    # The program may have replaced builtins.
    for scope, last, line in steps:
        output.write(f"{scope} {last} {line}\n")


main()
