a = f"Hello {user.name}, you have {count} messages"
b = f"{price:.2f} {price:>10} {ratio:%}"
c = f"{status!r:^20}"
d = f"{depth=}"
print(a[:5], type(b).__name__, d[:6])
