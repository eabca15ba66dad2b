"""f-strings of every kind valid since 3.9."""
import datetime
import math


class P:
    def __init__(self, x): self.x = x
    def __repr__(self): return f"P({self.x!r})"
    def __str__(self): return f"<{self.x}>"
    def __format__(self, spec): return f"fmt[{spec}]{self.x}"
    def scale(self, k=2): return P(self.x * k)


w, prec, name, val = 12, 3, "Ünïcode", 3.14159
p, d, items = P(5), {"a": 1, "b c": [1, {"z": 26}]}, ["x", "y"]
print(f"{name} {name!r} {name!s} {name!a} {p} {p!r} {p!s:>6} {p:spec} {p!r:*^{w}}")
print(f"{val:.2f} {val:{w}.{prec}} {val!r:>{w}} {val:>{w}.{prec}f}| {-5:+d} {1234567:,} {255:#x} {0.25:.0%} {5:03}")
print(f"{name=} {val = :.2f} {p=} {p=!s} {p.x = } {len(items)=} {d['a']=} {1 + 2=} { name }")
print(f'{d["a"]} {d["b c"][1]["z"]} {p.x} {p.scale().x} {p.scale(k=3):{"<" + str(w)}} {items[0].upper()}')
print(f"{{}} {{literal}} {{{name}}} {{{{{val:.1f}}}}} {'{'}{'}'}")
print(f"{'nested ' + f'{name} ' + f'''{val:.{prec}}'''} {f'{w}' f'{prec}'}")
print(f"{(lambda q: q * 2)(4)} {[i for i in range(3)]} {({k: v for k, v in d.items()})!s:.10} { {1, 1} } {(1, 2)[0]}")
print(f"{w if val > 3 else prec} {w > 3} {w == 12 and 'yes'} {not w} {val!r:{'>' if w else '<'}{w}} {w:{'x'}}")
print(f"{datetime.date(2020, 1, 2):%Y/%m/%d} {datetime.datetime(2020, 1, 2, 3, 4):%H:%M} {math.pi:.{2 + 1}f}")
print(rf"\d{w}\n{name}" fr"\t{val}" "plain {not}" f"{w}" 'mixed' f'{prec}')
print(f"""multi {
    w
    + 1
} line {name
:>10} end {p
!r}
  "quoted" {d['a']} 'single'
""", end="")
print(f'''{
items[0]}{items[
1]}''' f"\x41\u00e9\N{BULLET}\t{w}\\{w}")
print(f"{w:{w}}{w:<{w}}|{w:^{w}}|{name:.{prec}}|{name:{'.' + str(prec)}}")
print(f"{print('side effect') or 'after'} {(x := 5)} {x=} {x:=^5}")
print(f"" f"{''}" "" f"{None} {True!r} {...} {b'b'!r} {1e100} {2 ** 64:_}")
print("%s" % f"{w}%", f"{w}%%" % (), "{}".format(f"{{{w}}}"), f"{'a' 'b'}{'c'!r}", f"{'%d' % 3}{'{}'.format(4)}")
print(f"{p.scale}"[:14], f"{'abc'[::-1]} {'abc'[1:]} {items[-1:]} {d.get('zz', 'dflt')} {max(1, 2, key=lambda v: -v)}")
try:
    print(f"{w} {undefined_in_f} {name}")
except NameError as e:
    print(e)
try:
    print(f"{val:d}")
except ValueError as e:
    print(e)
def f(a=f"{w}", *, b: f"{name}" = f"{val:.0f}") -> f"r{w}": f"not a docstring {a}"; return f"{a}{b}"
print(f(), f.__doc__, f.__annotations__)
class K: label = f"{w}"; up = f"{label!r}".upper(); both = [f"{label}{i}" for i in "ab"] if False else f"{label}"
print(K.up, K.both, [f"{i}{j}" for i in "ab" for j in f"{i * 2}"], {f"{i}": f"{i!r}" for i in range(2)})
g = lambda: f"{(yield)}"; it = g(); next(it)
try: it.send("sent")
except StopIteration as e: print(e.value)
assert f"{w}" == "12", f"never {1 / 0}"
print(f"{w!r}" rf"{w}\{name!a}", f'''{"a'b"}''', f"{w,}", f"{w, val}", f"{*items,}", f"{-w}", f"{~w}", f"{w}{w}")
