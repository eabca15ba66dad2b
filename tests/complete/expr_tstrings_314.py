# requires: 3.14
"""Template strings (PEP 750)."""
from string.templatelib import Interpolation, Template

name, n = "World", 3
t = t"Hello {name!r:>10} and {n + 1} {n=}"
print(type(t).__name__, t.strings, t.values)
for part in t:
    if isinstance(part, Interpolation):
        print(part.expression, part.value, part.conversion, part.format_spec)
    else:
        print("text", repr(part))


def html(template: Template) -> str:
    out = []
    for item in template:
        if isinstance(item, str):
            out.append(item)
        else:
            out.append(str(item.value).replace("<", "&lt;"))
    return "".join(out)


evil = "<script>"
print(html(t"<p>{evil}</p>{name.upper()}{n:{'>' + str(n)}}"))
print((t"a{n}" + t"{name}b").strings, (rt"\d{n}").strings)
print(t"{t"{n}"}".values[0].values, t"{(lambda: n)()}".interpolations[0].expression)
try:
    t"{undefined_in_t}"
except NameError as e:
    print(e)
print(t"{n / 0}")
