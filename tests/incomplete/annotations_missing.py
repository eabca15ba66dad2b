def resize(img: Image, size: Tuple[int, int] = (1, 1)) -> Image:
    return size

limit: PositiveInt = 5
print(resize(None), limit)
