def where(shape):
    match shape:
        case Point(x=0, y=0):
            return "origin"
        case [a, b]:
            return "pair"
        case _:
            return "other"

print(type(where((3, 4))).__name__)
print(type(where(7)).__name__)
