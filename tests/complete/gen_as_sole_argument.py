"""Generator expressions as the only call argument, and beside others."""
import itertools


def collect(it, *more, sep=","):
    return sep.join(str(x) for x in it) + "".join(map(str, more))


def first(it, default=None):
    return next((x for x in it if x), default)


words = ["apple", "fig", "kiwi", "banana"]
print(sum(len(w) for w in words), max(len(w) for w in words))
print(collect(w[0] for w in words))
print(collect((w[0] for w in words), 1, 2, sep="|"))
print(collect(*(w for w in [words, "-", "+"])))
print(collect(sep=";", it=(w[-1] for w in words if w)))
print(sorted((w for w in words), key=lambda w: (len(w), w)))
print(dict((w, i) for i, w in enumerate(words)))
print(set(len(w) for w in words) == {3, 4, 5, 6}, tuple(w for w in words[:1]))
print(any(w.startswith("k") for w in words), all(w for w in words))
print(first(w for w in words if "z" in w), first(w for w in words if "an" in w))
print(" ".join(w.title() for w in words).split())
print(list(x * y for x in range(1, 4) for y in range(x, 4) if (x + y) % 2))
print(list(itertools.chain.from_iterable(range(n) for n in range(4))))
gen = (yielded for yielded in (print("evaluated at once") or [1, 2]))
print(type(gen).__name__, gen.__name__, list(gen))


class Holder:
    items = [1, 2, 3]
    total = sum(i for i in items)

    def __init__(self, src):
        self.items = [i for i in src]

    def __getitem__(self, index):
        return index


print(Holder.total, Holder(i for i in "xy").items, Holder("")[(i for i in [1])].__name__)
print(len(list(i for i in (j for j in (k for k in range(3))))))
print((lambda it: [*it, *it])(i for i in range(2)))
print(collect(i for i in range(3)).split(",")[0].zfill(3), f"{sum(i for i in range(5))}")
