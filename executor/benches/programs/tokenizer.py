"""Generates, tokenizes, parses and evaluates a text in a little language: regular expressions and str methods."""

import re

TOKEN = re.compile(
    r"""
    (?P<space>[ \t]+) | (?P<comment>\#[^\n]*) | (?P<newline>\n)
  | (?P<number>\d+(?:\.\d+)?) | (?P<name>[A-Za-z_]\w*) | (?P<operator>[-+*/%()=,])
    """,
    re.VERBOSE,
)
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}


class Token:
    __slots__ = ("kind", "text", "line")

    def __init__(self, kind, text, line):
        self.kind = kind
        self.text = text
        self.line = line


def generate(lines):
    seed = 12345
    out = []
    for number in range(lines):
        seed = (seed * 1103515245 + 12345) % 2147483648
        a, b, c = seed % 97, seed // 97 % 89 + 1, seed // 8633 % 7
        left = "value_%d" % (number - c - 1) if number > c else "1"
        out.append("  value_%d = (%s + %d) * %d %% 9973 - %s / %d  # line %d" % (number, left, a, b, left, b, number))
        if c == 0:
            out.append("print_%d = Value_Max(value_%d, %d.5)" % (number, number, a))
    return "\n".join(out) + "\n"


def tokenize(text):
    line = 1
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise SyntaxError("line %d: %r" % (line, text[position]))
        kind = match.lastgroup
        if kind == "newline":
            yield Token(kind, "\n", line)
            line += 1
        elif kind not in ("space", "comment"):
            yield Token(kind, match.group(), line)
        position = match.end()
    yield Token("end", "", line)


class Parser:
    def __init__(self, tokens):
        self.tokens = list(tokens)
        self.position = 0

    @property
    def token(self):
        return self.tokens[self.position]

    def advance(self):
        token = self.tokens[self.position]
        self.position += 1
        return token

    def accept(self, text):
        if self.token.text == text:
            self.advance()
            return True
        return False

    def expect(self, text):
        if not self.accept(text):
            raise SyntaxError("line %d: expected %r, not %r" % (self.token.line, text, self.token.text))

    def statements(self):
        while self.token.kind != "end":
            if self.accept("\n"):
                continue
            name = self.advance().text
            self.expect("=")
            yield name, self.expression(1)
            self.expect("\n")

    def expression(self, lowest):
        left = self.primary()
        while PRECEDENCE.get(self.token.text, 0) >= lowest:
            operator = self.advance().text
            left = (operator, left, self.expression(PRECEDENCE[operator] + 1))
        return left

    def primary(self):
        token = self.advance()
        if token.kind == "number":
            return float(token.text) if "." in token.text else int(token.text)
        if token.kind == "name":
            if not self.accept("("):
                return token.text
            arguments = [self.expression(1)]
            while self.accept(","):
                arguments.append(self.expression(1))
            self.expect(")")
            return ("call", token.text, arguments)
        if token.text == "(":
            inner = self.expression(1)
            self.expect(")")
            return inner
        raise SyntaxError("line %d: unexpected %r" % (token.line, token.text))


def evaluate(node, values):
    if isinstance(node, str):
        return values[node]
    if not isinstance(node, tuple):
        return node
    operator = node[0]
    if operator == "call":
        return max(evaluate(argument, values) for argument in node[2])
    left, right = evaluate(node[1], values), evaluate(node[2], values)
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "%":
        return left % right
    return left // right


def main():
    text = generate(15_000)
    words = [word.strip("()%,").lower() for line in text.splitlines() for word in line.partition("#")[0].split()]
    identifiers = sorted({word.replace("_", "-") for word in words if word.isidentifier() and not word.isupper()})
    values = {}
    for name, node in Parser(tokenize(text)).statements():
        values[name] = evaluate(node, values)
    print(len(text), len(words), len(identifiers), len(values), int(sum(values.values())) % 1_000_007)


main()
