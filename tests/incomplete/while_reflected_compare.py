seen = []
while len(seen) <= max_items:
    seen.append(random_token())
for item in seen:
    if item != sentinel:
        kept = item
print("over")
