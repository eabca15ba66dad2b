"""A template engine that compiles templates into Python code (after Ned Batchelder)."""
import re


class TemplateSyntaxError(ValueError):
    pass


class CodeBuilder:
    def __init__(self, level=0): self.code, self.level = [], level
    def __str__(self): return "".join(str(c) for c in self.code)
    def add(self, line): self.code.extend([" " * self.level, line, "\n"])
    def indent(self): self.level += 4
    def dedent(self): self.level -= 4

    def section(self):
        s = CodeBuilder(self.level)
        self.code.append(s)
        return s

    def namespace(self):
        assert self.level == 0, f"unbalanced indentation {self.level}"
        ns = {}
        exec(compile(str(self), "<template>", "exec"), ns)
        return ns


class Template:
    def __init__(self, text, *contexts):
        self.context = {}
        for c in contexts: self.context.update(c)
        self.all_vars, self.loop_vars = set(), set()
        code = CodeBuilder()
        code.add("def render(context, do_dots):"); code.indent()
        vars_code = code.section()
        code.add("result = []; append = result.append; to_str = str")
        ops = []
        for token in re.split(r"(?s)({{.*?}}|{%.*?%}|{#.*?#})", text):
            if token.startswith("{#"): continue
            elif token.startswith("{{"): code.add(f"append(to_str({self.expr(token[2:-2].strip())}))")
            elif token.startswith("{%"):
                words = token[2:-2].strip().split()
                if words[0] == "if":
                    if len(words) != 2: self.error("don't understand if", token)
                    ops.append("if"); code.add(f"if {self.expr(words[1])}:"); code.indent()
                elif words[0] == "else":
                    code.dedent(); code.add("else:"); code.indent()
                elif words[0] == "for":
                    if len(words) != 4 or words[2] != "in": self.error("don't understand for", token)
                    ops.append("for"); self.variable(words[1], self.loop_vars)
                    code.add(f"for c_{words[1]} in {self.expr(words[3])}:"); code.indent()
                elif words[0].startswith("end"):
                    if not ops: self.error("too many ends", token)
                    if (start := ops.pop()) != words[0][3:]: self.error(f"mismatched end of {start}", words[0])
                    code.dedent()
                else: self.error("unknown tag", words[0])
            elif token: code.add(f"append({token!r})")
        if ops: self.error("unmatched tag", ops[-1])
        for v in sorted(self.all_vars - self.loop_vars): vars_code.add(f"c_{v} = context[{v!r}]")
        code.add("return ''.join(result)"); code.dedent()
        self.source = str(code)
        self._render = code.namespace()["render"]

    def error(self, msg, thing): raise TemplateSyntaxError(f"{msg}: {thing!r}")

    def variable(self, name, vars_set):
        if not re.match(r"[_a-zA-Z]\w*$", name): self.error("not a valid name", name)
        vars_set.add(name)

    def expr(self, e):
        if "|" in e:
            head, *pipes = e.split("|")
            code = self.expr(head)
            for p in pipes: self.variable(p, self.all_vars); code = f"c_{p}({code})"
            return code
        if "." in e:
            head, *dots = e.split(".")
            return f"do_dots({self.expr(head)}, {', '.join(map(repr, dots))})"
        self.variable(e, self.all_vars)
        return f"c_{e}"

    def render(self, **context): return self._render({**self.context, **context}, self.do_dots)

    @staticmethod
    def do_dots(value, *dots):
        for d in dots:
            try: value = getattr(value, d)
            except AttributeError: value = value[d]
            if callable(value): value = value()
        return value


class User:
    def __init__(self, name, tags): self.name, self.tags = name, tags
    def initials(self): return "".join(w[0] for w in self.name.split())


t = Template("""<h1>{{ user.name|upper }}</h1>{# comment #}
{% if user.tags %}{% for tag in user.tags %}  * {{ tag|upper|wrap }} {{ user.initials }}
{% endfor %}{% else %}  no tags
{% endif %}total {{ count }}, {{ info.key.lower }}
""", {"upper": str.upper, "wrap": lambda s: f"<{s}>"})
print(t.render(user=User("Ann Bee", ["x", "y"]), count=2, info={"key": "VAL"}))
print(t.render(user=User("Cy", []), count=0, info={"key": "Z"}))
print(t.source)
for bad in ("{% if %}", "{% for x on y %}", "{% endif %}", "{% if x %}{% endfor %}", "{{ 1a }}", "{% while x %}", "{% if x %}", "{{ a|b-c }}"):
    try: Template(bad)
    except TemplateSyntaxError as e: print(f"{bad:26} {e}")
try: t.render(user=None)
except KeyError as e: print("missing", e)
Template("{{ a.b.c }}").render(a={"b": {"d": 1}})
