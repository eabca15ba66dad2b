"""Huffman coding: build the tree, encode, decode, canonical codes."""
import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass(order=True)
class Node:
    weight: int
    order: str
    symbol: Optional[str] = field(default=None, compare=False)
    left: Any = field(default=None, compare=False, repr=False)
    right: Any = field(default=None, compare=False, repr=False)

    def walk(self, prefix=""):
        if self.symbol is not None:
            yield self.symbol, prefix or "0"
            return
        yield from self.left.walk(prefix + "0")
        yield from self.right.walk(prefix + "1")

    @property
    def depth(self): return 0 if self.symbol is not None else 1 + max(self.left.depth, self.right.depth)


class Huffman:
    def __init__(self, text):
        if not text: raise ValueError("cannot build a code from nothing")
        heap = [Node(n, s, s) for s, n in Counter(text).items()]
        heapq.heapify(heap)
        while len(heap) > 1:
            a, b = heapq.heappop(heap), heapq.heappop(heap)
            heapq.heappush(heap, Node(a.weight + b.weight, min(a.order, b.order), None, a, b))
        self.root, = heap
        self.codes = dict(self.root.walk())
        self.reverse = {v: k for k, v in self.codes.items()}

    def encode(self, text): return "".join(self.codes[c] for c in text)

    def decode(self, bits):
        out, cur = [], ""
        for i, b in enumerate(bits):
            cur += b
            if (sym := self.reverse.get(cur)) is not None:
                out.append(sym); cur = ""
            elif len(cur) > self.root.depth: raise ValueError(f"bad bits {cur!r} at {i}")
        if cur: raise EOFError(f"left over: {cur!r}")
        return "".join(out)

    def canonical(self):
        code, prev, result = 0, 0, {}
        for length, sym in sorted((len(c), s) for s, c in self.codes.items()):
            code <<= length - prev
            result[sym] = format(code, f"0{length}b")
            code, prev = code + 1, length
        return result

    def pack(self, text):
        bits = self.encode(text)
        pad = -len(bits) % 8
        bits += "0" * pad
        return bytes([pad]) + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))

    def unpack(self, data):
        pad, body = data[0], data[1:]
        bits = "".join(f"{b:08b}" for b in body)
        return self.decode(bits[:-pad] if pad else bits)


text = "she sells sea shells by the sea shore — é"
h = Huffman(text)
for sym, code in sorted(h.codes.items(), key=lambda kv: (len(kv[1]), kv[1])): print(repr(sym), code, end="; ")
print()
bits = h.encode(text)
print(len(bits), len(text) * 8, h.decode(bits) == text, h.root.depth, h.root.weight, Node(1, "a", "a"))
print(h.canonical()["s"], sum(len(c) * text.count(s) for s, c in h.canonical().items()) == len(bits))
packed = h.pack("sea shells"); print(packed, h.unpack(packed))
print(Huffman("aaaa").codes, Huffman("aaaa").decode("000"), Huffman("ab").codes)
for bad in (lambda: Huffman(""), lambda: h.encode("Z"), lambda: h.decode(bits[:-1] + "0" * 0) and h.decode(bits[:5]), lambda: h.decode("2" * 9)):
    try: print(bad())
    except (ValueError, KeyError, EOFError) as e: print(type(e).__name__, e)
h.encode("sea Quarks")
