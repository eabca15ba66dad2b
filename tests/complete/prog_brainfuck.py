"""A brainfuck interpreter and optimiser; programs in, text out."""
import sys
from itertools import groupby


class BFError(Exception):
    def __init__(self, message, position):
        super().__init__(message)
        self.position = position


def jumps(code):
    table, stack = {}, []
    for i, c in enumerate(code):
        if c == "[":
            stack.append(i)
        elif c == "]":
            try:
                j = stack.pop()
            except IndexError:
                raise BFError("unmatched ]", i) from None
            table[i], table[j] = j, i
    if stack:
        raise BFError("unmatched [", stack[-1])
    return table


def compile_bf(source):
    ops = [c for c in source if c in "+-<>[],."]
    packed = []
    for c, run in groupby(ops):
        n = sum(1 for _ in run)
        packed.extend([(c, n)] if c in "+-<>" else [(c, 1)] * n)
    out, i = [], 0
    while i < len(packed):
        if [p[0] for p in packed[i:i + 3]] == ["[", "-", "]"] and packed[i + 1][1] == 1:
            out.append(("clear", 0)); i += 3
        else:
            out.append(packed[i]); i += 1
    return out


def run(source, inp="", *, limit=200000, out=None):
    code = compile_bf(source)
    table, tape, ptr, pc, steps, data = jumps([c for c, _ in code]), [0] * 64, 0, 0, 0, iter(inp)
    result = [] if out is None else out
    while pc < len(code):
        op, n = code[pc]
        steps += 1
        if steps > limit: raise TimeoutError(f"gave up after {limit} steps")
        if op == "+": tape[ptr] = (tape[ptr] + n) & 255
        elif op == "-": tape[ptr] = (tape[ptr] - n) & 255
        elif op == ">":
            ptr += n
            while ptr >= len(tape): tape.extend([0] * 64)
        elif op == "<":
            ptr -= n
            if ptr < 0: raise BFError(f"pointer at {ptr}", pc)
        elif op == ".": result.append(chr(tape[ptr]))
        elif op == ",": tape[ptr] = ord(next(data, "\0"))
        elif op == "clear": tape[ptr] = 0
        elif op == "[" and not tape[ptr] or op == "]" and tape[ptr]: pc = table[pc]
        pc += 1
    return "".join(result), steps, tape[:6]


HELLO = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++."
print(run(HELLO))
print(run(",[.,]", "echo!"), run(",>,<[->+<]>.", "!!"), run("+++[-]>++."))
print(len(compile_bf(HELLO)), compile_bf("++--[-][->+<] comment,."))
for bad in ("[[]", "+]", "<", "+[]"):
    try: print(run(bad, limit=50))
    except BFError as e: print(f"{bad!r}: {e} at {e.position}")
    except TimeoutError as e: print(f"{bad!r}: {e}", file=sys.stdout)
squares = "++++[>+++++<-]>[<+++++>-]+<+[>[>+>+<<-]++>>[<<+>>-]>>>[-]++>[-]+>>>+[[-]++++++>>>]<<<[[<++++++++<++>>-]+<.<[>----<-]<]<<[>>>>>[>>>[-]+++++++++<[>-<-]+++++++++>[-[<->-]+[<<<]]<+>]<<-]<<-]"
try: print(run(squares)[0].split()[:8])
except (BFError, TimeoutError) as e: print(type(e).__name__, e)
sink = []
try: run("++++++++[>++++++++<-]>+.+.+.<<", out=sink)
finally: print("partial output", sink)
