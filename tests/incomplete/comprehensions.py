squares = [x ** 2 for x in numbers]
names = {u.name for u in users if u.active}
lookup = {k: normalize(v) for k, v in table.items()}
flat = [cell for row in sheet for cell in row]
real = [n + 1 for n in (1, 2, 3)]
print(real, type(squares).__name__, type(names).__name__, type(lookup).__name__)
