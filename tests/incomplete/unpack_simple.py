width, height = get_size()
r, g, b, a = image.getpixel((0, 0))
(x, y), z = point
[only] = matches
print("unpacked")
