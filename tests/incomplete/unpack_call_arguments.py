def show(*args, **kwargs):
    return "shown"

print(show(*positional, **named))
connect(*hosts, timeout=3, **options)
merged = [*hosts, 1]
print(merged[-1])
