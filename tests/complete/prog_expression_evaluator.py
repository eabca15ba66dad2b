"""Tokenizer, recursive-descent parser, evaluator and pretty printer."""
import math
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text pos")
SPEC = [("NUM", r"\d+(\.\d*)?"), ("NAME", r"[A-Za-z_]\w*"), ("OP", r"\*\*|//|[-+*/%^()=,<>]"), ("WS", r"\s+"), ("BAD", r".")]
SCANNER = re.compile("|".join(f"(?P<{k}>{p})" for k, p in SPEC))


class ParseError(SyntaxError):
    def __init__(self, message, token, source):
        super().__init__(message)
        self.token, self.source = token, source

    def __str__(self):
        return f"{self.msg}\n  {self.source}\n  {' ' * self.token.pos}^"


def tokenize(source):
    for m in SCANNER.finditer(source):
        if m.lastgroup == "BAD":
            raise ParseError(f"unexpected {m.group()!r}", Token("BAD", m.group(), m.start()), source)
        if m.lastgroup != "WS":
            yield Token(m.lastgroup, m.group(), m.start())
    yield Token("END", "", len(source))


class Node:
    def __init__(self, *kids): self.kids = kids
    def __repr__(self): return f"{type(self).__name__}({', '.join(map(repr, self.kids))})"


class Num(Node): pass
class Name(Node): pass
class Unary(Node): pass
class Binary(Node): pass
class Call(Node): pass
class Assign(Node): pass


class Parser:
    LEVELS = [("<", ">"), ("+", "-"), ("*", "/", "//", "%")]

    def __init__(self, source):
        self.source, self.tokens = source, tokenize(source)
        self.current = next(self.tokens)

    def error(self, msg): raise ParseError(msg, self.current, self.source)

    def advance(self):
        tok, self.current = self.current, next(self.tokens, None)
        return tok

    def accept(self, *texts): return self.advance() if self.current.kind == "OP" and self.current.text in texts else None

    def expect(self, text): return self.accept(text) or self.error(f"expected {text!r}")

    def parse(self):
        node = self.level(0)
        if isinstance(node, Name) and self.accept("="):
            node = Assign(node.kids[0], self.level(0))
        if self.current.kind != "END": self.error("trailing input")
        return node

    def level(self, n):
        if n == len(self.LEVELS): return self.unary()
        left = self.level(n + 1)
        while (op := self.accept(*self.LEVELS[n])):
            left = Binary(op.text, left, self.level(n + 1))
        return left

    def unary(self):
        if op := self.accept("-", "+"): return Unary(op.text, self.unary())
        return self.power()

    def power(self):
        base = self.atom()
        return Binary("**", base, self.unary()) if self.accept("**", "^") else base

    def atom(self):
        tok = self.advance()
        if tok.kind == "NUM": return Num(float(tok.text) if "." in tok.text else int(tok.text))
        if tok.kind == "NAME":
            if not self.accept("("): return Name(tok.text)
            args = []
            if not self.accept(")"):
                args.append(self.level(0))
                while self.accept(","): args.append(self.level(0))
                self.expect(")")
            return Call(tok.text, *args)
        if tok.text == "(":
            node = self.level(0)
            self.expect(")")
            return node
        raise ParseError("expected a value", tok, self.source)


class Evaluator:
    funcs = {"max": max, "sqrt": math.sqrt, "abs": abs, "hyp": lambda a, b=1: (a * a + b * b) ** .5}

    def __init__(self): self.env = {"pi": math.pi, "ans": None}

    def visit(self, node): return getattr(self, "visit_" + type(node).__name__.lower())(*node.kids)
    def visit_num(self, v): return v
    def visit_name(self, n): return self.env[n]
    def visit_unary(self, op, x): return {"-": lambda: -self.visit(x), "+": lambda: +self.visit(x)}[op]()

    def visit_binary(self, op, a, b):
        a, b = self.visit(a), self.visit(b)
        return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "//": lambda: a // b,
                "%": lambda: a % b, "**": lambda: a ** b, "<": lambda: a < b, ">": lambda: a > b}[op]()

    def visit_call(self, name, *args): return self.funcs[name](*(self.visit(a) for a in args))

    def visit_assign(self, name, value):
        self.env[name] = result = self.visit(value)
        return result

    def run(self, source):
        self.env["ans"] = self.visit(Parser(source).parse())
        return self.env["ans"]


ev = Evaluator()
for src in ["1 + 2 * 3", "-2 ** 2", "2 ^ 3 ^ 2", "(1 + 2) * -3", "x = 7 // 2", "x * ans", "hyp(3, 4) + hyp(0)", "10 % 4 < 3",
            "max(1, x, 2)", "1 +", "2 * (3 + 4", "3 $ 4", "nope + 1", "f(1)", "1 / (x - 3)", "sqrt(-1)", "hyp()", "1 2", "pi", ""]:
    try:
        print(f"{src!r:>22} = {ev.run(src)!r}")
    except ParseError as e:
        print(f"{src!r:>22} ! {e}")
    except (ArithmeticError, KeyError, ValueError, TypeError) as e:
        print(f"{src!r:>22} ! {type(e).__name__}: {e}")
print(Parser("a = -b * f(1, 2.5) ** 2").parse(), sorted(ev.env.items(), key=str))
ev.run("deep = ((((1 / 0))))")
