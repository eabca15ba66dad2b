"""A JSON parser and pretty printer written by hand, compared with the json module."""
import json
import re


class JSONError(ValueError):
    def __init__(self, msg, text, pos):
        line, col = text.count("\n", 0, pos) + 1, pos - (text.rfind("\n", 0, pos))
        super().__init__(f"{msg} at {line}:{col}")


class Parser:
    NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
    ESC = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

    def __init__(self, text): self.text, self.pos = text, 0
    def fail(self, msg): raise JSONError(msg, self.text, self.pos)
    def peek(self): return self.text[self.pos:self.pos + 1]

    def space(self):
        while self.peek() and self.peek() in " \t\r\n": self.pos += 1
        return self

    def eat(self, s):
        if not self.text.startswith(s, self.pos): self.fail(f"expected {s!r}, got {self.peek() or 'end'!r}")
        self.pos += len(s)

    def parse(self):
        value = self.value()
        if self.space().peek(): self.fail("extra data")
        return value

    def value(self):
        c = self.space().peek()
        handler = {"{": self.object, "[": self.array, '"': self.string, "t": lambda: self.word("true", True),
                   "f": lambda: self.word("false", False), "n": lambda: self.word("null", None), "": lambda: self.fail("unexpected end")}.get(c, self.number)
        return handler()

    def word(self, w, v): self.eat(w); return v

    def number(self):
        m = self.NUMBER.match(self.text, self.pos)
        if not m: self.fail("bad value")
        self.pos = m.end()
        return float(m[0]) if m[2] or m[3] else int(m[0])

    def string(self):
        self.eat('"'); out = []
        while (c := self.peek()) != '"':
            if not c: self.fail("unterminated string")
            self.pos += 1
            if c == "\\":
                e = self.peek(); self.pos += 1
                if e == "u": c = chr(int(self.text[self.pos:self.pos + 4], 16)); self.pos += 4
                elif e in self.ESC and e: c = self.ESC[e]
                else: self.fail(f"bad escape \\{e}")
            out.append(c)
        self.eat('"')
        return "".join(out)

    def items(self, open_, close, item):
        self.eat(open_)
        if self.space().peek() == close: self.eat(close); return
        while True:
            yield item()
            if self.space().peek() == ",": self.eat(","); continue
            self.eat(close); return

    def array(self): return list(self.items("[", "]", self.value))

    def pair(self):
        self.space(); k = self.string(); self.space().eat(":")
        return k, self.value()

    def object(self): return dict(self.items("{", "}", self.pair))


def pretty(v, indent=2, level=0):
    pad, end = "\n" + " " * indent * (level + 1), "\n" + " " * indent * level
    if isinstance(v, dict):
        return "{" + ",".join(f"{pad}{pretty(k)}: {pretty(x, indent, level + 1)}" for k, x in sorted(v.items())) + end + "}" if v else "{}"
    elif isinstance(v, list):
        return "[" + ",".join(pad + pretty(x, indent, level + 1) for x in v) + end + "]" if v else "[]"
    elif isinstance(v, str):
        return '"' + re.sub(r'[\x00-\x1f"\\]', lambda m: {"\n": "\\n", '"': '\\"', "\\": "\\\\"}.get(m[0], f"\\u{ord(m[0]):04x}"), v) + '"'
    return {True: "true", False: "false", None: "null"}[v] if v is None or isinstance(v, bool) else repr(v)


doc = ' {"b": [1, -2.5e3, true, null, []], "a": {"x": "q\\"\\u00e9\\n", "y": {}},\n "c": [[1], [{"z": 0}]]} '
value = Parser(doc).parse()
print(value == json.loads(doc), pretty(value) == json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False))
print(pretty(value))
for bad in ('', '{"a" 1}', '[1, 2', '[1,]', '{"a": tru}', '"abc', '"\\q"', '[1] 2', '{1: 2}', '[\n1,\n  x]', '-'):
    try: print(Parser(bad).parse())
    except JSONError as e: print(f"{bad!r:14} {e}")
print(pretty(Parser('{"deep": ' + "[" * 5 + '"x\\u0041"' + "]" * 5 + "}").parse(), indent=1))
Parser('{"ok": 1,\n "bad": [1, 2, oops]}').parse()
