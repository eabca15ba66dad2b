"""Uncaught: attribute chain fails in the middle; suggestion text follows."""


class Engine:
    def __init__(self):
        self.cylinders = 4
        self.serial_number = "e-1"


class Car:
    def __init__(self):
        self.engine = Engine()

    def describe(self):
        first = self.engine.cylinders + len(self.engine.serial_number)
        return first, self.engine.cylinders + self.engine.serial_numbr.upper().count("E")


car = Car()
print(car.engine.cylinders, car.engine.serial_number.upper())
print(car.engine, car.describe()) if not car else print(car.describe())
