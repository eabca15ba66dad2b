"""Arithmetic exceptions raised by really doing the operation."""
import math
import decimal


def show(label, thunk):
    try:
        value = thunk()
    except ArithmeticError as e:
        print(label, "->", type(e).__name__, e, e.args)
    except Exception as e:
        print(label, "-> other", type(e).__name__, e, e.args)
    else:
        print(label, "=", value)


zero = 0
show("int div", lambda: 1 / zero)
show("floor div", lambda: 1 // zero)
show("mod", lambda: 5 % zero)
show("divmod", lambda: divmod(5, zero))
show("float div", lambda: 1.0 / zero)
show("float mod", lambda: 1.0 % zero)
show("float floordiv", lambda: 1.0 // 0.0)
show("complex", lambda: 1j / (zero + 0j))
show("zero neg pow", lambda: zero ** -1)
show("pow mod", lambda: pow(3, 4, zero))
show("overflow exp", lambda: math.exp(1000))
show("overflow float pow", lambda: 10.0 ** 400)
show("overflow int->float", lambda: float(10 ** 400))
show("int/int too large", lambda: 10 ** 400 / 3)
show("int(inf)", lambda: int(float("inf")))
show("int(nan)", lambda: int(float("nan")))
show("sqrt", lambda: math.sqrt(-1))
show("log", lambda: math.log(zero))
show("factorial", lambda: math.factorial(-3))
show("shift", lambda: 1 << -1)
show("huge range", lambda: len(range(10 ** 30)))
show("chr", lambda: chr(0x110000))
show("bytes", lambda: bytes([256]))
show("repeat", lambda: "ab" * (1 << 70))
show("decimal", lambda: decimal.Decimal(1) / decimal.Decimal(0))
show("decimal invalid", lambda: decimal.Decimal("x1"))
show("pow inverse", lambda: pow(2, -1, 4))
show("fine", lambda: 7 // 2 + 7 % 2 - -7 // 2)

total = 0
for divisor in (3, 2, 1, 0, -1):
    try:
        total += 12 // divisor
    except ZeroDivisionError as err:
        print("skip", divisor, err)
        continue
    print("total", total)
