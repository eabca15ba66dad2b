# requires: 3.10
"""Uncaught error inside a guard and a class pattern's property."""


class Shape:
    def __init__(self, sides):
        self.sides = sides

    @property
    def area(self):
        return 12 // (self.sides - 3)


def classify(shape):
    match shape:
        case Shape(sides=4, area=a) if a / 2 > 1:
            return f"square-ish {a}"
        case (
            Shape(sides=5)
            | Shape(area=0)
        ):
            return "five or flat"
        case _:
            return "other"


for n in (4, 5, 100, 3):
    print(n, classify(Shape(n)))
