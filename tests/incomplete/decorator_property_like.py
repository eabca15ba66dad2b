class Circle:
    def __init__(self, r):
        self.r = r

    @cached_property
    def circumference(self):
        return 6 * self.r

    @property
    def diameter(self):
        return 2 * self.r

c = Circle(4)
c.circumference
print(c.diameter)
