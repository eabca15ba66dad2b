area = 3.14 * radius ** 2
half = (1 - alpha) / 2 // beta % 7
mask = ~bits & 0xFF | (1 << shift) ^ 2
neg = -abs(delta) + round(ratio, 2)
prod = weights @ inputs
q, rem = divmod(amount, 10)
print(type(int(area)).__name__, type(float(half)).__name__, type(str(mask)).__name__)
