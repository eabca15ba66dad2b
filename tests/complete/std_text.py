"""re, string methods, textwrap, json, format mini-language, templates."""
import json
import re
import string
import textwrap

text = "The year 1999 and 2024-05-06; mail: a.b@c.org, x@y.z"
print(re.findall(r"\d{4}", text), re.sub(r"(\w+)@(\w+)", lambda m: f"{m[2]}@{m.group(1)}", text), re.split(r"[;,:]\s*", text))
m = re.search(r"(?P<y>\d+)-(?P<m>\d+)-(?P<d>\d+)", text)
print(m.groupdict(), m.span("m"), m.start(), m[0], [g.lstrip("0") for g in m.groups()], re.match("x", text))
pat = re.compile(r"""
    (?P<num>\d+)      # a number # not code
  | (?P<op>[-+*/()])  # operator
  | (?P<ws>\s+)
""", re.X)
print([(x.lastgroup, x.group()) for x in pat.finditer("12 + (3*4)") if x.lastgroup != "ws"])
try: re.compile("(unclosed")
except re.error as e: print(e, e.pos, e.pattern)
print("a,b,,c".split(","), " x ".strip(), "abc".partition("b"), "aXbX".rsplit("X", 1), "tItle cAse".title(), "x".join("abc"), "abc"[::-1])
print("abc".center(9, "*"), "7".zfill(3), "a\tb".expandtabs(4), "ß".upper(), "İ".lower(), "straße".casefold(), "%(a)s-%(b)05.1f" % {"a": 1, "b": 2})
print("abc".translate(str.maketrans("ab", "xy", "c")), "abcabc".count("bc"), "abc".find("z"), "Hello".swapcase(), "a1".isalnum(), "²".isdigit(), "x".isidentifier())
print("{0:>{w}}|{1!r:^10}|{n.real:+}|{d[k]}|{l[0]}".format("r", "q", w=5, n=3, d={"k": "v"}, l=[9]), "{:,} {:.3e} {:#b} {:%}".format(12345, 0.00012, 5, 0.5))
print(textwrap.fill("word " * 12, 20, initial_indent="* ", subsequent_indent="  "), textwrap.dedent("""
    indented
      more
    back""")[1:], textwrap.shorten("a long sentence here", 12), sep="\n")
class T(string.Template): delimiter = "%"
print(string.Template("$who likes ${what}s $$").substitute(who="Tim", what="kung pao"), T("%x").safe_substitute(), string.capwords("a bc"))
class F(string.Formatter):
    def get_value(self, k, a, kw): return kw.get(k, f"<{k}>") if isinstance(k, str) else a[k]
print(F().format("{0} {a} {missing}", "pos", a=1), string.ascii_uppercase[:3])
data = {"b": [1, 2.5, None, True], "a": {"é": "ü\n"}, "t": (1, 2)}
print(json.dumps(data), json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")), json.dumps([1, {"x": []}], indent=2), sep="\n")
print(json.loads('{"a": [1, 2.0, "\\u00e9", null]}', object_hook=lambda d: sorted(d.items()), parse_float=lambda s: f"F{s}"))
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, set): return sorted(o)
        return super().default(o)
print(json.dumps({"s": {3, 1}}, cls=Enc))
try: json.dumps({"k": object})
except TypeError as e: print(e)
try: json.loads('{"a": }')
except json.JSONDecodeError as e: print(e.msg, e.lineno, e.colno, e.pos, repr(e.doc))
print(json.dumps({1: "a", None: "b", True: "c"}), json.loads("[1e3, -0, 12345678901234567890]"))
print(re.sub("(a)(b)?", r"[\1|\2]", "abа a"), re.fullmatch(r"\w+", "naïve") is not None, re.escape("a.b*c"), re.sub("x*", "-", "abxd"), re.subn("a", "b", "aa"))
print(sorted("banana", key=lambda ch: (-"banana".count(ch), ch)), "".join(sorted(set("hello"))), max("hello", key="hello".count), "a-b_c".replace("-", "_").split("_"), "\n".join(["l1", "l2"]).splitlines(True), bytes("é", "utf8").hex(), "abc" "def"[1])
