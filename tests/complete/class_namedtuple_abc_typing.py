"""NamedTuple, abc, Protocol, generics and type annotations at run time."""
import abc
import collections
import typing
from typing import Any, Callable, Dict, Generic, NamedTuple, Protocol, TypeVar, Union, runtime_checkable

T = TypeVar("T")
K = TypeVar("K", int, str)


class Emp(NamedTuple):
    """An employee."""
    name: str
    id: int = 3

    def badge(self):
        return f"{self.name}#{self.id:03d}"


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    @property
    @abc.abstractmethod
    def name(self): ...

    def describe(self):
        return f"{self.name} of {self.area():.2f}"


class Square(Shape):
    def __init__(self, s): self.s = s
    def area(self): return self.s ** 2
    name = "square"


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: typing.List[T] = []

    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self

    def pop(self) -> T:
        return self.items.pop()


@runtime_checkable
class Closable(Protocol):
    def close(self) -> None: ...


class Door:
    def close(self): print("closing door")


def typed(a: int, b: "undefined_type" = None, *c: Dict[str, Any], **d: Callable[..., int]) -> Union[int, str]:
    e: T
    f: undefined_local = 1
    return f


print(Emp("ann"), Emp("bob", 12).badge(), Emp.__doc__, Emp._fields, Emp("c")._replace(id=9), Emp(*"xy")[0])
n, i = Emp("unpacked")
print(n, i, Emp("a") == ("a", 3), Emp("q")._asdict())
try:
    Shape()
except TypeError as e:
    print(str(e).split(" with")[0])
print(Square(3).describe(), isinstance(Square(1), Shape), sorted(Shape.__abstractmethods__))
Shape.register(dict)
print(issubclass(dict, Shape), Stack[int]().push(1).push(2).pop(), Stack[str].__args__)
print(isinstance(Door(), Closable), isinstance(5, Closable))
print(typed(1), typed.__annotations__["b"], list(typed.__annotations__))
print(typing.get_type_hints(Emp), typing.cast("int", "not int"))
x: int = 5
y: "later"
z: typing.List[undefined_name] if False else int
(w): str = "parenthesised"
o = Door(); o.attr: int = 4; d = {}; d["k"]: str = "v"
print(x, "y" in globals(), w, o.attr, d)
Point = collections.namedtuple("Point", "x y", defaults=[0])
print(Point(1), Point(y=2, x=1), Point._make([5, 6]) + (7,))


class Sub(Point):
    __slots__ = ()

    @property
    def total(self): return self.x + self.y

    def __new__(cls, x, y=10):
        return super().__new__(cls, x * 2, y)


print(Sub(1).total, Sub(1), typing.get_origin(Dict[str, int]), typing.get_args(Callable[[int], str]))
try:
    Stack[int, str]
except TypeError as e:
    print(str(e).split(" for")[0])
