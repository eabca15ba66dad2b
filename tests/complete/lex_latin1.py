# -*- coding: latin-1 -*-
"""Café: a module in Latin-1."""
import sys

naïve = "déjà vu £5 ÿ"
print(ascii(__doc__), ascii(naïve), len(naïve), naïve)


class Größe:
    größe = "ü"

    def mäß(self, é=1): return self.größe * é


print(ascii(Größe().mäß(3)), ascii(f"{naïve!r:>20} {Größe.größe}"), sorted(map(ascii, vars(Größe)))[-1])
b = "é".encode("utf-8"); print(b, "é" == "\xe9")
# commentaire à la fin
print("ÿ", "é", naïve.split("é")[1] + "à" + naïve[99] + "ü")
