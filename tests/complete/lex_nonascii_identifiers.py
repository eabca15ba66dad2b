"""Identifiers outside ASCII, normalised by NFKC."""
π = 3.14159
größe = 2
名前 = "namae"
Ωmega, ñandú = 1, 2
_é = "private"


class Überklasse:
    prénom = "Ana"
    __größe = 5

    def método(self, año=2020, *, ключ="k", **прочее):
        return f"{self.prénom} {año} {ключ} {sorted(прочее)} {self.__größe}"

    @property
    def ширина(self):
        return self.__größe * 2


def площадь(r): return π * r ** 2


o = Überklasse()
o.höhe = 10
o.höhe += größe
print(площадь(2), o.método(), o.método(1, ключ="z", β=1), o.höhe, o.ширина)
print([ä for ä in range(3)], {σ: σ for σ in "ab"}, (lambda χ: χ + 1)(1), f"{größe=} {名前!r:>{größe + 10}}")
ﬁ = "ligature"
print(fi, "fi" in globals(), "ﬁ" in globals())
ª = 1
print(a)
𝔘𝔫𝔦 = "math letters"
print(Uni)
print(sorted(k for k in vars(Überklasse) if not k.startswith("__")))
print(sorted(k for k in globals() if not k.startswith("__") and not k.isascii()))
for ключ, значение in {"а": 1, "б": 2}.items():
    print(ключ, значение)
try:
    größ
except NameError as fehler:
    print(fehler)
try:
    o.höh
except AttributeError as fehler:
    print(fehler)
try:
    o.método(naïve=1, año=2, **{"año": 3})
except TypeError as erreur:
    print(erreur)
import math as матем
from os.path import join as соединить
print(матем.floor(π), соединить("a", "b"))
def génère():
    reçu = yield "é"
    yield reçu
g = génère(); print(next(g), g.send("envoyé"))
global_ö = 1
def mod():
    global global_ö
    global_ö += 1
    def ö(): nonlocal_ä = 1; return nonlocal_ä
    return global_ö, ö.__name__
print(mod()); del größe
print("größe" in dir(), eval("π + Ωmega"), getattr(o, "höhe"), o.__dict__)
if (ж := 5) > 3: print(ж, "→", "日本" * 2, 名前.upper())
x = "日本"; y = 名前 + x; print(y, x); 变量 = [x, 名前]; print(变量[0] + 变量[1], 变量[-1].count("a"))
