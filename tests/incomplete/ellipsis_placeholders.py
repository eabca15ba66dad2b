class Shape:
    def area(self): ...

def build(kind):
    ...
    return make_shape(kind)

build("square")
print(Shape().area())
