"""Integer, float, complex arithmetic, literals, big ints, Decimal and Fraction."""
import cmath
import decimal
import fractions
import math

print(7 // 2, -7 // 2, 7 % -3, -7 % 3, divmod(-7, 2), 7.5 // 2, -7.5 % 2, 2 ** 10, 2 ** -1, (-2) ** 2, -2 ** 2)
print(0xFF, 0o17, 0b1011, 1_000_000, 1e3, 1.5e-3, .5, 5., 0xdead_beef, 1E2, 3j, 1_0.0_1, 00, 1 if 1 else 2)
print(2 ** 200, 3 ** 100 % 10 ** 9, math.factorial(25), int("9" * 30) + 1, (1 << 100).bit_length(), -1 >> 5)
print(0.1 + 0.2, round(2.5), round(3.5), round(-1.256, 2), round(1234, -2), 1e308 * 10, -1e308 * 10, math.nan != math.nan)
print(1 + 2j, (1 + 2j) * (3 - 1j), abs(3 + 4j), (1j) ** 2, complex("1+2j").conjugate(), cmath.sqrt(-4).imag, -0.0, 0j)
print(int(3.9), int(-3.9), int("0x1f", 16), float("1e-5"), float("inf"), bool(0.0), int(True) + True, hex(255), oct(8), bin(5))
print(1 .real, (5).bit_length(), 5..is_integer(), 1.5.hex(), float.fromhex("0x1.8p+1"), (0.75).as_integer_ratio(), 10 .__add__(5))
print((255).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "little"), ~5, 5 & 3, 5 | 3, 5 ^ 3, 1 << 3, not 1, - - 1, -+-1)
D = decimal.Decimal
print(D("0.1") + D("0.2"), D(1) / D(7), D("1.10").normalize(), D("2.675").quantize(D("0.01")), D(10) ** 3, -D("5") // 2)
with decimal.localcontext() as ctx:
    ctx.prec = 5
    print(D(1) / D(3), +D("1.23456789"))
F = fractions.Fraction
print(F(1, 3) + F(1, 6), F("0.125"), F(3.5), F(7, 3) // 1, F(1, 2) ** 2, float(F(1, 4)), F(10, 4).numerator, F(2) == 2)
print(math.gcd(12, 18), math.isqrt(99), math.floor(-1.5), math.ceil(1.2), math.trunc(-1.7), math.hypot(3, 4), math.comb(5, 2))
print(sum([0.1] * 10), math.fsum([0.1] * 10), min(3, 1.5, True), max(-1, -2.5), pow(2, 100, 7), pow(3, -1, 11))
print(f"{1e16} {1e15} {1.0} {100000000000000000000.0} {1e-7} {123456789.123456789} {5e-324} {1.7976931348623157e308}")
a = 257; b = 257; print(a == b, a is a, hash(1) == hash(1.0) == hash(True), 1 == 1.0 == True, {1: "a", 1.0: "b", True: "c"})
x = 10; x /= 4; print(x, type(x).__name__, x.__class__.__name__, 10 / 5, type(10 / 5).__name__, 5 // 2.0)
print(sorted([3, 1.5, -2, True, F(1, 2), D("0.25")]), sum([F(1, 2), 1, D(0) == 0]), round(D("2.5")), round(F(5, 2)))
print(int("١٢"), float("  1.5\n"), int("-0b11", 0), int(" 7 "), 1_0 ** 2, "%.3e %g %x %o %+d %05d %5.1f" % (12345.678, 1e-5, 255, 8, 3, 42, 2.25))
print([n for n in range(2, 40) if all(n % k for k in range(2, int(n ** .5) + 1))], sum(1 / 2 ** k for k in range(20)))
