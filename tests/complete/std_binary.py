"""struct, array, bytes, bytearray, memoryview, base64, zlib, hashlib, codecs."""
import array
import base64
import binascii
import codecs
import hashlib
import struct
import zlib

print(struct.pack("<HbI3s", 513, -1, 7, b"abcd"), struct.unpack(">2h", b"\x00\x01\xff\xff"), struct.calcsize("=qid"), [x for x, in struct.iter_unpack("B", b"\x01\x02")])
for f, a in (("B", 256), ("H", "x"), ("2i", 1)):
    try: struct.pack(f, *([a] if not isinstance(a, tuple) else a))
    except struct.error as e: print(f, e)
a = array.array("i", [1, 2, 3]); a.append(4); a[1:3] = array.array("i", [9]); a *= 2; print(a, a.itemsize, a.tobytes()[:4], a[-1], sum(a), a.index(9))
try: a.append("x")
except TypeError as e: print(e)
b = bytearray(b"hello"); b[0] = 72; b += b"!"; b.extend([32, 33]); del b[1:3]; print(b, b.decode(), b[0], b[1:2], bytes(b).upper(), b.find(b"o"))
try: b[0] = 300
except ValueError as e: print(e)
try: b"abc"[0] = 1
except TypeError as e: print(e)
m = memoryview(b); m[0:2] = b"zz"; print(b, m.nbytes, m.readonly, m[2:].tobytes(), m.cast("B").tolist()[:3], bytes(m[::-1]))
try: b.append(1)
except BufferError as e: print(e)
m.release(); b.append(65); print(b)
with memoryview(b"abc") as mv: print(mv[1], mv == b"abc", list(mv))
print(b"a,b".split(b","), b"%d-%s" % (5, b"x"), b"ab" in b"cab", 97 in b"abc", b"abc".hex("-"), bytes([1, 2]) + bytes(2), b"\xff".decode("latin-1"), list(b"ab"), b"ab"[0], b"ab"[:1])
print(base64.b64encode(b"data!"), base64.b64decode("ZGF0YSE="), binascii.hexlify(b"\x01\xab"), binascii.crc32(b"x"), base64.b32encode(b"q"))
try: base64.b64decode("abc")
except binascii.Error as e: print(e)
print(zlib.decompress(zlib.compress(b"x" * 100)) == b"x" * 100, hashlib.sha256(b"abc").hexdigest()[:16], hashlib.md5("é".encode()).hexdigest()[:8])
print("é".encode("utf-16-le"), codecs.encode("abc", "rot13"), "\u20ac".encode("cp1252"), b"\xe9".decode("cp1252"), "naïve".encode("ascii", "namereplace"), "ab".encode("utf-8-sig"))
def handler(e): return ("<" + "?" * (e.end - e.start) + ">", e.end)
codecs.register_error("mine", handler); print("aéü".encode("ascii", "mine"), b"a\xff".decode("ascii", "mine"))
dec = codecs.getincrementaldecoder("utf-8")(); print([dec.decode(x) for x in (b"\xe2", b"\x82", b"\xac")])
class Buf:
    def __bytes__(self): return b"from __bytes__"
    def __index__(self): return 3
print(bytes(Buf()), bytes(2), [10, 20, 30, 40][Buf()], hex(Buf()), "abc"[:Buf()], range(5)[Buf()])
rec = struct.Struct("<hh"); data = b"".join(rec.pack(i, i * i) for i in range(3)); print([rec.unpack_from(data, o) for o in range(0, len(data), rec.size)])
n = int.from_bytes(b"\x12\x34", "big"); print(n, n.to_bytes(3, "little"), (n >> 4) & 0xF, f"{n:016b}", bin(n).count("1"))
print(zlib.adler32(b"abc") & 0xFFFFFFFF, bytes.fromhex("de ad"), bytes(map(ord, "hi")), b"".join([b"a", bytearray(b"b")]), b"a" < b"b", b"a" == "a", {b"k": 1}[b"k"])
