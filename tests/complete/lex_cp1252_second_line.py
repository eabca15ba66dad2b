#!/usr/bin/env python
# coding: cp1252
euro = "€ and “quotes”"
print(euro, ascii(euro), [ascii(c) for c in euro if ord(c) > 127])
def prix(n): return f"{n} €" if n > 0 else {"€": n}["£"]
print(prix(1))
print("€", prix(0))
