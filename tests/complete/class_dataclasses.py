"""dataclasses with defaults, factories, ordering, frozen, post_init, replace."""
import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar, List, Optional


@dataclass(order=True)
class Item:
    sort_index: int = field(init=False, repr=False)
    name: str
    price: float = 1.0
    tags: List[str] = field(default_factory=list, compare=False)
    count: ClassVar[int] = 0

    def __post_init__(self):
        self.sort_index = len(self.name)
        Item.count += 1

    @property
    def total(self) -> float:
        return self.price * (1 + len(self.tags))


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0

    def __add__(self, other):
        return dataclasses.replace(self, x=self.x + other.x, y=self.y + other.y)


@dataclass
class Tree:
    value: int
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


a, b = Item("apple", tags=["red"]), Item("fig", 2.5)
print(a, b, a > b, sorted([a, b])[0].name, Item.count, a.total)
b.tags.append("x")
print(a.tags, b.tags, a == Item("apple"), dataclasses.asdict(b))
p = Point(1) + Point(2, 3)
print(p, hash(p) == hash(Point(3, 3)), {p: 1}[Point(3, 3)], dataclasses.astuple(p))
try:
    p.x = 5
except dataclasses.FrozenInstanceError as e:
    print(type(e).__name__, e)
print(list(Tree(2, Tree(1), Tree(3, right=Tree(4)))))
print(Tree(1, Tree(0)))
print([(f.name, f.type if isinstance(f.type, str) else f.type.__class__.__name__, f.init) for f in dataclasses.fields(Item)])
try:
    @dataclass
    class Bad:
        x: int = 1
        y: str
except TypeError as e:
    print(e)
try:
    @dataclass
    class Bad2:
        x: list = []
except ValueError as e:
    print(e)
try:
    Point()
except TypeError as e:
    print(e)
C = dataclasses.make_dataclass("C", [("u", int), ("v", int, field(default=9))], namespace={"s": lambda self: self.u + self.v})
print(C(1), C(1).s(), dataclasses.is_dataclass(C))


@dataclass
class Child(Tree):
    label: str = "none"
    value: int = 7

    def __str__(self):
        return f"{self.label}:{super().__repr__()[:10]}"


print(Child(), Child(label="q") == Child(7, None, None, "q"))
print(str(Child()))
