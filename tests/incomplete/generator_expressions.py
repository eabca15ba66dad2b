def lines():
    yield "first"
    yield from read_more()

total = sum(item.price for item in basket)
hit = any(word.startswith("x") for word in words)
best = max(scores)
ranked = sorted(scores, key=lambda s: s.rank)
print(next(iter(lines())), len(list(lines())) > 1)
