if (match := pattern.search("abc")):
    whole = match.group(0)
while (block := source.read(64)):
    digest.update(block)
good = [y for x in [1, 2] if (y := convert(x))]
print("walrus", len(good) > 0)
