def area(width, height):
    return width * height

size = area(side)
print(size)
