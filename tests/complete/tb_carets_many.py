"""Tracebacks with carets of many one-line failures, printed with FILE for the path."""
import traceback

zero, text, items, table, nothing = 0, "abc", [1, 2, 3], {"a": {"b": 1}}, None


class Obj:
    def __init__(self): self.child, self.n = None, 5
    def __getitem__(self, k): return items[k]
    def __call__(self, *a): return a[2]
    @property
    def prop(self): return self.n / zero


o = Obj()


def ident(x, *rest, **kw): return x


def unary(): return 1 + -text * 2
def compare(): return ident(1) < ident("x") < ident(3)
def boolop(): return zero or nothing and 1 or text.nope or items
def condtest(): return 1 if items[9] else 2
def condbody(): return ident(items[7] if text else items[8])
def slicing(): return items[0:2] + text[zero:nothing:items]
def store_sub(): items[zero][1] = table["a"]["b"]
def store_attr(): table["a"]["b"].attr = ident(5)
def del_sub(): del items[0:0], table["zz"]["y"]
def del_attr(): del o.child.thing
def aug_name(): y = zero; y += text; return y
def aug_attr(): o.child += o.n
def aug_sub(): table["a"]["b"] -= table["a"]["c"]
def unpack(): a, (b, c) = 1, items
def starcall(): return ident(*items, *zero, **table)
def kwcall(): return ident(1, x=2, **{"x": 3})
def nested_call(): return ident(ident(ident(1), o(1, 2)), o(1, 2, 3))
def method(): return text.upper().lower().index("z") + 1
def literal_method(): return "a,b".split(",")[2].upper()
def prop(): return ident(o.n) + o.prop + o.n
def lam(): return (lambda q, r=items[1]: q[r])(text) + (lambda q: q.w)(text)
def comp_elem(): return [table[k] for k in ("a", "q")]
def comp_iter(): return [x for x in zero if x]
def comp_cond(): return {x: 1 for x in items if x / zero}
def gen_arg(): return sum(x / (x - 2) for x in items)
def fstr(): return f"start {text} {items[0]} {table['x']['y']:>10} end"
def fspec(): return f"{text:{'d'}}" + f"{zero:.2f}"
def dict_disp(): return {"k": 1, **items, "z": zero}
def set_disp(): return {1, text, items}
def walrus(): return (w := items[0]) + (v := items[w + 4])
def star_target(): first, *mid, last, end = text[:2]
def ret_tuple(): return zero, text[1], items[text]
def subscript_call(): return items[ident(len(text) * 2)]
def chained_sub(): return table["a"]["b"]["c"]["d"]
def raise_expr(): raise ident(ValueError)(f"made {ident(1)}")
def raise_bad(): raise text.upper()
def raise_from(): raise KeyError("k") from ident(text)
def assert_expr(): assert ident(zero) == len(text), f"zero is not {len(text)}"
def assert_msg(): assert not text, table["msg"]
def for_iter():
    for q in ident(zero): pass
def while_cond():
    while items[text]: pass
def if_cond():
    if text in items or text < zero: pass
def with_item():
    with ident(zero) as z, ident(text): pass
def except_type():
    try: 1 / zero
    except items[0]: pass
def import_from(): from os.path import joinn, basename
def import_mod(): import os, osss.path
def power(): return 2 ** zero ** -1 ** 1
def matmul(): return ident(1) @ ident(text)
def invert(): return ~text if not zero else +text
def global_name(): return undefined_zz + ident(undefined_yy)
def call_none(): return nothing(1) + o.child(2)
def call_str(): return ident(text)(items)(zero)
def two_statements(): a = items[0]; b = items[5]; return a + b
def after_colon(): 
    if zero == 0: c = text.strip(); d = c.join(zero)
def decorated():
    @ident
    @items[6]
    def f(): pass
def classdef():
    class K(ident(Obj), metaclass=ident(text)): x = 1
def class_body():
    class K: a = 1; b = a / zero; c = b
def default():
    def f(a, b=items[8], *, c=text): pass
def annotation():
    def f(a: items[0], b: undefined_ann = text): pass
def nonlocal_free():
    def g(): return ident(h) + 1
    g(); h = 1
def print_call(): print(text, items, sep=zero)
def builtin_call(): return max(len(text), abs(text), min(items))
def sort_key(): return sorted(items, key=lambda v: text[v * 2])
def map_call(): return list(map(lambda v: 6 // (v - 2), items))
def recurse(n=3): return recurse(n - 1) + 1 if n else items[n - 9]
def unicode_before(): return "日本" + "é" + text + items[0]
def yielding(): return list((lambda: (yield items[(yield 1) or 9]))())
def big_int(): return int("9" * 5000) if False else 10 ** 400 * 1.0
def parens(): return (((items)))[(((9)))] + (zero)
def in_list(): return [items[0], items[1], [items[2], [items[3]]], items[0]]


for name, fn in [(k, v) for k, v in list(globals().items()) if callable(v) and k not in ("Obj", "ident", "o")]:
    try:
        fn()
    except Exception as e:
        print(f"--- {name}")
        print("".join(traceback.format_exception(type(e), e, e.__traceback__.tb_next or e.__traceback__)).replace(__file__, "FILE"), end="")
    else:
        print(f"--- {name} did not fail")
