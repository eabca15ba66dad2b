"""PEP 563: annotations are strings; the future import follows the docstring."""
from __future__ import annotations

import dataclasses
import typing

flag: undefined_type = 1
nested: typing.Dict[str,   typing.List[ int ]] = {}


def f(a: some.unknown[thing], b: "quoted" = 2, *c: x + y, d: lambda q: q * 2 = 3, **e: [i for i in z]) -> not_there(1, *args, k=v):
    local: nothing.at.all = 4
    return local


class Node:
    next: Node | None = None
    __priv: Node
    items: list[Node]

    def link(self, other: Node) -> Node:
        self.next: Whatever = other
        return other


@dataclasses.dataclass
class Point:
    x: int
    y: "float" = 0.0
    tag: typing.ClassVar[str] = "pt"


print(f(1), f.__annotations__)
print(Node.__annotations__, Node.link.__annotations__)
print(__annotations__)
print(Point(1), [fld.type for fld in dataclasses.fields(Point)])
print(typing.get_type_hints(Node.link)["other"] is Node)
print(__doc__, annotations.compiler_flag > 0, annotations)
def g(p: f"{x}" = 1, q: {**d} = 2, r: (yield_ or 1) if t else ~u = 3, s: a[b:c, ...] = 4, t: 'a' "b" = 5, u: -1 ** 2 = 0): ...
for k, v in g.__annotations__.items(): print(k, v)
exec("def h(w: late): pass\nprint(h.__annotations__)")
class K:
    class Inner: ...
    def m(self, i: Inner, j: K.Inner, k: 1 < 2 < 3, l: (1,), m: await_ @ b) -> None: ...
print(K.m.__annotations__)
try: typing.get_type_hints(f)
except NameError as e: print(e)
