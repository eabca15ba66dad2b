# requires: 3.12
"""PEP 695 type parameters, type aliases, and comprehension inlining."""
import typing

type Alias[T] = dict[str, T] | list[Alias[T]]
type Simple = int


def first[T](items: list[T], default: T | None = None) -> T:
    return items[0] if items else default


class Stack[T: (int, str), *Ts, **P]:
    kind: T

    def __init__(self, *items: T) -> None:
        self.items = list(items)

    def map[U](self, fn: typing.Callable[[T], U]) -> "Stack[U]":
        return [fn(i) for i in self.items]

    class Inner[V](dict[str, V]):
        value: V | T

    def names(self):
        return T.__name__, [t.__name__ for t in __class__.__type_params__]


print(first([1, 2]), first([], "d"), first.__type_params__, first.__annotations__)
print(Stack(1, 2).map(lambda x: x * 2), Stack.__type_params__, Stack(1).names(), Stack[int, str, bytes, [int]].__origin__ is Stack)
print(Alias.__name__, Alias.__type_params__, Simple.__value__, isinstance(Alias, typing.TypeAliasType))
print(Stack.Inner.__mro__[1].__name__, Stack.Inner(a=1), Stack.__parameters__)
type Lazy = undefined_until_used
try:
    Lazy.__value__
except NameError as e:
    print(e)


@(lambda f: f)
async def co[T](x: T = 5, *a: T, k: "T" = 1) -> T:
    return x


try:
    co(1).send(None)
except StopIteration as e:
    print(e.value)
class A[T]:
    x = [T.__name__ for _ in range(2)]
    def m(self, y: T = x[0]): return super().__repr__()[:1], y
print(A.x, A().m())
def outer[T](v: T):
    def inner[T2: T](w): return T, T2, w, v
    return inner
print(outer(1)(2), (lambda: [T for T in "ab"])())
type = "soft keyword"; print(type); type X = int; print(X.__value__)
first[int](5)
