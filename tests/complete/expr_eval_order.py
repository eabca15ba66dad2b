"""Evaluation order of every compound expression and assignment, traced."""

trail = []


def t(label, value=...):
    trail.append(label)
    return label if value is ... else value


class Box(dict):
    def __getattr__(self, n):
        trail.append(f"get .{n}")
        return self.setdefault(n, 0)

    def __setattr__(self, n, v):
        trail.append(f"set .{n}")
        self[n] = v

    def __getitem__(self, k):
        trail.append(f"get [{k}]")
        return self.setdefault(k, 0)

    def __setitem__(self, k, v):
        trail.append(f"set [{k}]")
        super().__setitem__(k, v)

    def __delitem__(self, k):
        trail.append(f"del [{k}]")


def flush(label):
    print(f"{label}: {' '.join(map(str, trail))}")
    trail.clear()


b = Box()
t("a", 1) + t("b", 2) * t("c", 3) ** t("d", 2) - t("e", 1); flush("arith")
t("f", lambda *a, **k: 0)(t("x"), *t("s", []), k=t("kw"), **t("ds", {})); flush("call")
b[t("k1")] = t("value"); flush("setitem")
b[t("k2")] += t("inc", 1); flush("aug item")
t("obj", b).attr = t("value", 1); flush("setattr")
t("obj", b).attr += t("inc", 1); flush("aug attr")
b[t("m1")] = b[t("m2")] = t("shared", 5); flush("multi")
b[t("t1")], b[t("t2")] = t("r1", 1), t("r2", 2); flush("tuple")
(b[t("n1")], [b[t("n2")], *b[t("n3")].__class__.__mro__[:0]]) if 0 else None; flush("dead")
{t("dk1"): t("dv1"), t("dk2"): t("dv2"), **t("ds", {})}; flush("dict")
[t("l1"), *t("l2", []), t("l3")]; (t("u1"), t("u2")); {t("z1", 1), t("z2", 2)}; flush("displays")
t("seq", "abcdef")[t("lo", 0):t("hi", 5):t("st", 2)]; flush("slice")
t("then") if t("cond", 1) else t("orelse"); t("then") if t("cond", 0) else t("orelse"); flush("ifexp")
t("p", 1) < t("q", 0) < t("never"); t("p", 1) < t("q", 2) < t("r", 3) != t("s", 9); flush("compare")
t("o1", 0) or t("o2", 0) or t("o3", 1) or t("never"); flush("or")
t("n1", 1) and t("n2", 0) and t("never"); flush("and")
not t("x", 0) and (t("y", 1) or t("never")) and t("z", 1); flush("mixed")
[t(f"e{i}") for i in t("it", range(2)) if t("if", 1) for j in t("it2", [0]) if t("if2", 0) or 1]; flush("listcomp")
{t("ck"): t("cv") for _ in t("it", [1])}; flush("dictcomp")
f"{t('f1', 1):>{t('w', 3)}} {t('f2', 2)!r:{t('fs', '')}}"; flush("fstring")
lambda a=t("def1"), *, k=t("def2"): t("never"); flush("lambda")
del b[t("d1")], b[t("d2")]; flush("del")
for b[t("ft")] in t("iter", [1, 2]): t("body")
else: t("else")
flush("for")
with t("cm", open("/dev/null")) as b[t("as")], t("cm2", open("/dev/null")) as b.h: t("body")
b.h.close(); flush("with")
assert t("test", 1), t("never"); flush("assert")
x: t("annotation") = t("annotated value"); flush("annassign")
b[t("ak")]: t("ann2") = t("av"); flush("annassign2")
class K(t("base", object), metaclass=t("meta", type)): t("class body")
flush("class")
@t("deco1", lambda f: f)
@t("deco2", lambda f: f)
def f(p: t("ann p") = t("def p"), *, q: t("ann q") = t("def q")) -> t("ann r"): t("never")
flush("def")
try: raise t("exc", KeyError) from t("cause", None)
except (t("type1", ValueError), t("type2", KeyError)): t("handler")
flush("raise")
(t("walrus"), (w := t("wv", 3)), t(w)); flush("walrus")
b[t("a1")][t("a2")] if not t("skip", 1) else b[t("a3")] ; flush("sub")
print(t("pa", "x"), t("pb", "y"), sep=t("sep", "-")); flush("print")
i = 0; i, b[i], b[t("after")] = 1, 2, 3; flush("target order"); print(dict(b)[1])
