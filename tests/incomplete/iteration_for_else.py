for candidate in candidates:
    score = evaluate(candidate)
else:
    print("no break")
it = iter(lines)
first = next(it)
for ch in reversed(history):
    last = ch
print("end")
