"""An LRU cache with a doubly linked list, a decorator, and statistics."""
import functools


class _Link:
    __slots__ = ("prev", "next", "key", "value")

    def __init__(self, key=None, value=None):
        self.prev = self.next = self
        self.key, self.value = key, value


class LRUCache:
    def __init__(self, capacity, on_evict=None):
        if capacity <= 0:
            raise ValueError(f"capacity must be positive, not {capacity}")
        self.capacity, self._on_evict = capacity, on_evict or (lambda k, v: None)
        self._map, self._root = {}, _Link()
        self.hits = self.misses = 0

    def _unlink(self, link):
        link.prev.next, link.next.prev = link.next, link.prev
        return link

    def _push_front(self, link):
        link.prev, link.next = self._root, self._root.next
        self._root.next.prev = self._root.next = link

    def __getitem__(self, key):
        try:
            link = self._map[key]
        except KeyError:
            self.misses += 1
            raise KeyError(f"{key!r} is not cached") from None
        self.hits += 1
        self._push_front(self._unlink(link))
        return link.value

    def __setitem__(self, key, value):
        if key in self._map:
            link = self._unlink(self._map[key])
            link.value = value
        else:
            if len(self) >= self.capacity:
                old = self._unlink(self._root.prev)
                del self._map[old.key]
                self._on_evict(old.key, old.value)
            link = self._map[key] = _Link(key, value)
        self._push_front(link)

    def __delitem__(self, key): self._unlink(self._map.pop(key))
    def __len__(self): return len(self._map)
    def __contains__(self, key): return key in self._map

    def __iter__(self):
        link = self._root.next
        while link is not self._root:
            yield link.key
            link = link.next

    def get(self, key, default=None):
        try: return self[key]
        except KeyError: return default

    def __repr__(self): return f"{type(self).__name__}({{{', '.join(f'{k!r}: {self._map[k].value!r}' for k in self)}}}, hits={self.hits}, misses={self.misses})"

    @classmethod
    def memoize(cls, capacity=8):
        def deco(fn):
            cache = cls(capacity)

            @functools.wraps(fn)
            def wrapper(*args, **kw):
                key = args, tuple(sorted(kw.items()))
                if (found := cache.get(key, wrapper)) is not wrapper:
                    return found
                cache[key] = result = fn(*args, **kw)
                return result
            wrapper.cache = cache
            return wrapper
        return deco


evicted = []
c = LRUCache(3, on_evict=lambda *kv: evicted.append(kv))
for i, ch in enumerate("abcabdae"):
    if c.get(ch) is None: c[ch] = i
    else: c[ch] += 100
    print(ch, list(c))
print(c, evicted, "a" in c, "b" in c, len(c))
del c["a"]; print(list(c), [k for k in c if k > "d"])
for bad in (lambda: c["zz"], lambda: LRUCache(0), lambda: c.__delitem__("zz"), lambda: c[[]]):
    try: bad()
    except (KeyError, ValueError, TypeError) as e: print(type(e).__name__, e, e.__suppress_context__)


@LRUCache.memoize(capacity=64)
def paths(r, c, *, diagonal=False):
    if r == 0 or c == 0: return 1
    return paths(r - 1, c, diagonal=diagonal) + paths(r, c - 1, diagonal=diagonal) + (paths(r - 1, c - 1, diagonal=diagonal) if diagonal else 0)


print(paths(6, 6), paths.cache.hits, paths.cache.misses, paths(6, 6, diagonal=True), len(paths.cache), paths.__name__)
c["end"]
