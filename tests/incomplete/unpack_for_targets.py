for key, value in config.items():
    pair = (key, value)
for i, (name, score) in enumerate(ranking):
    line = i
for left, right in zip(before, after):
    same = left == right
print(line)
