"""A small REPL that reads commands from standard input."""
import sys
import operator

OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": lambda a, b: a // b}
memory = {"ans": 0}


def value(token):
    try:
        return float(token) if "." in token else int(token)
    except ValueError:
        return memory[token]


def command(line):
    match_ = line.split()
    if not match_: return None
    if len(match_) == 3 and match_[1] in OPS:
        a, op, b = match_
        memory["ans"] = OPS[op](value(a), value(b))
        return memory["ans"]
    if match_[0] == "let":
        _, target, _, *expr = match_
        memory[target] = command(" ".join(expr)) if len(expr) > 1 else value(expr[0])
        return f"{target} = {memory[target]}"
    if match_[0] == "quit":
        raise SystemExit(int(match_[1]) if match_[1:] else 0)
    if match_[0] == "vars":
        return ", ".join(f"{k}={v}" for k, v in sorted(memory.items()))
    raise SyntaxError(f"bad command {line!r}")


def main():
    errors = 0
    while True:
        try:
            line = input("> ")
            result = command(line)
        except EOFError:
            print("bye")
            return errors
        except (SyntaxError, KeyError, ZeroDivisionError) as e:
            errors += 1
            print(f"{type(e).__name__}: {e}", file=sys.stderr)
        else:
            if result is not None: print(result)


if __name__ == "__main__":
    sys.exit(main())
