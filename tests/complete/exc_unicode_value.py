"""ValueError and the unicode errors with all their attributes."""
import codecs
import json
import struct


def go(label, f, *a, **k):
    try:
        r = f(*a, **k)
    except UnicodeError as e:
        extra = ""
        if hasattr(e, "start"):
            extra = (e.encoding, e.start, e.end, e.reason, e.object)
        print(label, type(e).__name__, e, extra)
    except (ValueError, TypeError) as e:
        print(label, type(e).__name__, e, e.args)
    else:
        print(label, "ok", ascii(r))


go("dec", b"ab\xff\xfec".decode, "utf-8")
go("dec trunc", b"\xe2\x82".decode, "utf-8")
go("enc ascii", "na\u00efve \u20ac".encode, "ascii")
go("enc latin", "\u20ac".encode, "latin-1")
go("enc surrogate", "\ud800x".encode, "utf-8")
go("dec utf16", b"\x00".decode, "utf-16-le")
go("replace", b"a\xffb".decode, "utf-8", "replace")
go("xmlref", "\u20ac5".encode, "ascii", "xmlcharrefreplace")
go("translate", codecs.charmap_decode, b"\x01", "strict", {1: None})
go("int", int, "12a")
go("int base", int, "19", 8)
go("int base2", int, "1", 99)
go("float", float, "one.two")
go("complex", complex, "1+j2")
go("index", [1, 2].index, 3)
go("remove", [1, 2].remove, 5)
go("tuple index", (1,).index, "q")
go("str index", "hello".index, "z")
go("fromhex", bytes.fromhex, "0g")
go("json", json.loads, '{"a": [1, 2,}')
go("fmt", "{:d}".format, "s")
go("fmt2", "{".format)
go("pct", lambda: "%q" % 3)
go("range step", range, 1, 5, 0)
go("slice step", lambda: "abc"[::0])
go("split", "a,b".split, "")
go("ord-ish", memoryview(b"abcd").tobytes, "Q")
go("max", max, [])
go("zip strict", lambda: dict([(1, 2, 3)]))


def unpack(seq, n):
    if n == 2:
        a, b = seq
        return a, b
    if n == 3:
        a, b, c = seq
        return a, b, c
    first, *rest, last = seq
    return first, rest, last


go("unpack few", unpack, [1], 2)
go("unpack many", unpack, "abcd", 3)
go("unpack star", unpack, [9], 4)
go("unpack star ok", unpack, [9, 8, 7, 6], 4)
try:
    struct.unpack("<I", b"abc")
except struct.error as e:
    print("struct", e)
