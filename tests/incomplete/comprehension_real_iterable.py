urls = ["a", "b", "c"]
pages = [download(u) for u in urls]
sizes = {u: size_of(p) for u, p in zip(urls, pages)}
kept = [u for u in urls if u not in blocked]
print(len(pages), list(sizes))
