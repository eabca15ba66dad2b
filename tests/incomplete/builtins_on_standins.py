n = int(raw_count)
size = len(queue)
for i in range(height):
    pass
low = min(a, b)
ordered = sorted(queue)
first = list(queue)[0]
print(type(n).__name__, type(size).__name__, type(ordered).__name__)
