"""collections, heapq, bisect, itertools with callbacks written in Python."""
import bisect
import heapq
import itertools as it
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque

c = Counter("mississippi")
print(c.most_common(2), c["z"], c - Counter("miss"), sorted(c.elements())[:3], +Counter(a=1, b=-1), c | Counter(q=2) == c)
dd = defaultdict(lambda: defaultdict(list))
for w in ["apple", "avocado", "bean"]: dd[w[0]][len(w)].append(w)
print({k: dict(v) for k, v in dd.items()}, "zz" in dd, dd["new"] == {}, len(dd))
d = deque(range(5), maxlen=3); d.append(9); d.appendleft(1); d.rotate(1); print(d, d[-1], list(reversed(d)))
od = OrderedDict(a=1, b=2); od.move_to_end("a"); od["c"] = od.pop("b"); print(od, od.popitem(last=False), list(od))
cm = ChainMap({"x": 1}, {"x": 2, "y": 3}); cm["z"] = cm["y"] + cm.parents["x"]; print(cm["x"], dict(cm), cm.maps[0])


class Upper(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.upper(), v)
    def __missing__(self, k): return f"no {k}"


u = Upper(a=1); u.update(b=2); u["c"] = u["zz"]; print(u, u["A"], "A" in u, list(u))
class L(UserList):
    def append(self, x): print("append", x); super().append(x)
l = L([1]); l.append(2); l += [3]; print(l, l[1:], l * 2); print(UserString("abc")[1:].upper() + "d")
heap = [(len(w), w) for w in "the quick brown fox".split()]; heapq.heapify(heap)
print([heapq.heappop(heap)[1] for _ in range(len(heap))], heapq.nlargest(2, [3, 9, 5], key=lambda v: -v), list(heapq.merge([1, 4], [2, 3])))
class Task:
    compared = 0
    def __init__(self, p): self.p = p
    def __lt__(self, o): Task.compared += 1; return self.p < o.p
q = []
for p in (5, 1, 4, 2, 3): heapq.heappush(q, Task(p))
print([heapq.heappop(q).p for _ in range(5)], Task.compared, sorted([Task(2), Task(1)])[0].p, Task.compared)
s = [1, 3, 5]; bisect.insort(s, 4); print(s, bisect.bisect_left(s, 3), bisect.bisect(s, 3))
print(list(it.chain([1], "ab")), list(it.islice(it.count(5, 2), 3)), list(it.accumulate([1, 2, 3], lambda a, b: a * b)))
print([(k, list(g)) for k, g in it.groupby("aabbbc")], [(k, [w for w in g]) for k, g in it.groupby(["a", "bb", "cc"], key=len)])
print(list(it.product("ab", [0, 1])), list(it.permutations([1, 2, 3], 2))[:3], list(it.combinations("abc", 2)), list(it.zip_longest("ab", "c", fillvalue="-")))
print(list(it.takewhile(lambda v: v < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda v: v < 3, [1, 3, 1])), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.compress("abc", [1, 0, 1])))
a, b = it.tee(x * x for x in range(3)); print(next(a), list(b), list(a), list(it.filterfalse(None, [0, 1, ""])), list(it.repeat("r", 2)), sum(it.chain.from_iterable([[1], [2]])))
def pairwise(seq): x, y = it.tee(seq); next(y, None); return zip(x, y)
print(list(pairwise("abcd")), [*map(lambda x, y: x + y, [1, 2], [3, 4])], next(filter(str.isdigit, "ab1")), list(zip(*[iter("abcdef")] * 3)))
cyc = it.cycle([1, 2]); print([next(cyc) for _ in range(5)], sorted({"b": 1, "a": 2}.items(), key=lambda kv: kv[1], reverse=True), min("bca", key=ord), [*enumerate("xy", 1)])
print(sorted([("b", 2), ("a", 2), ("c", 1)], key=lambda t: (-t[1], t[0])), list(reversed([1, 2])), any(map(lambda v: v > 2, (1, 3))), dict(zip("ab", it.count())), {**dict.fromkeys("ab", 0)})
