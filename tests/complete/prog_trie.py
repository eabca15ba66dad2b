"""A trie with insertion, deletion, prefix search, wildcard and edit distance search."""


class Trie:
    __slots__ = ("children", "count", "word")

    def __init__(self, words=()):
        self.children, self.count, self.word = {}, 0, None
        for w in words: self.insert(w)

    def insert(self, word):
        node = self
        for ch in word:
            node.count += 1
            node = node.children.setdefault(ch, type(self)())
        node.count += 1
        node.word = word
        return self

    def _find(self, prefix):
        node = self
        for depth, ch in enumerate(prefix):
            try: node = node.children[ch]
            except KeyError: raise KeyError(prefix, f"stopped at depth {depth}") from None
        return node

    def __contains__(self, word):
        try: return self._find(word).word is not None
        except KeyError: return False

    def __iter__(self):
        if self.word is not None: yield self.word
        for ch in sorted(self.children): yield from self.children[ch]

    def __len__(self): return sum(1 for _ in self)
    def __bool__(self): return self.word is not None or any(map(bool, self.children.values()))
    def __getitem__(self, key): return list(self._find(key[:-1] if key.endswith("*") else key))

    def __delitem__(self, word):
        node, trail = self, []
        for ch in word: trail.append((node, ch)); node = node.children[ch]
        if node.word is None: raise KeyError(word)
        node.word = None
        while trail:
            parent, ch = trail.pop()
            if parent.children[ch]: break
            del parent.children[ch]

    def match(self, pattern):
        if not pattern:
            if self.word: yield self.word
            return
        head, *rest = pattern
        if head == "?":
            for c in sorted(self.children): yield from self.children[c].match(rest)
        elif head == "*":
            yield from self.match(rest)
            for c in sorted(self.children): yield from self.children[c].match(pattern)
        elif head in self.children: yield from self.children[head].match(rest)

    def fuzzy(self, word, limit):
        def go(node, ch, prev):
            row = [prev[0] + 1]
            for i, c in enumerate(word, 1): row.append(min(row[-1] + 1, prev[i] + 1, prev[i - 1] + (c != ch)))
            if row[-1] <= limit and node.word: yield row[-1], node.word
            if min(row) <= limit:
                for c2, kid in sorted(node.children.items()): yield from go(kid, c2, row)
        for c, kid in sorted(self.children.items()): yield from go(kid, c, list(range(len(word) + 1)))

    def draw(self, indent=0):
        return "".join(f"{' ' * indent}{c}{'!' if k.word else ''}{k.count}\n{k.draw(indent + 1)}" for c, k in sorted(self.children.items()))


t = Trie("car card care cat dog do done été".split())
print(list(t), len(t), "car" in t, "ca" in t, "" in t, "zebra" in t, bool(t), bool(Trie()))
print(t["ca*"], t["do"], t.insert("cab")["ca"], [*t.match("ca?")], list(t.match("*e")), sorted(set(t.match("d*"))))
print(sorted(t.fuzzy("cart", 1)), sorted(t.fuzzy("dig", 1)), min(t.fuzzy("ete", 3)))
del t["car"], t["done"]; print(list(t), "card" in t)
print(t.draw(), end="")
for bad in (lambda: t["x"], lambda: t["carz"], lambda: t.__delitem__("ca"), lambda: t.__delitem__("qq"), lambda: setattr(t, "extra", 1), lambda: t[5]):
    try: print(bad())
    except (KeyError, AttributeError, TypeError) as e: print(type(e).__name__, *e.args)
class CountingTrie(Trie):
    __slots__ = ()
    made = 0
    def __init__(self, *a): type(self).made += 1; super().__init__(*a)
print(len(CountingTrie(["ab", "ac"])), CountingTrie.made)
print(max(t, key=len), sum(len(w) for w in t), {w[0] for w in t} == set("cdé"), next(iter(t)))
print(t["cat"][0] + t["dog"][0] + t["dot"][0])
