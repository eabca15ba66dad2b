scale = lambda v: v * FACTOR
out = list(map(scale, [1, 2, 3]))
big = list(filter(lambda v: v > threshold, [5, 6]))
pairs = sorted([(2, "b"), (1, "a")], key=lambda p: p[0])
button = Button(text="ok", command=lambda: on_click(1))
print(len(out), pairs[0])
