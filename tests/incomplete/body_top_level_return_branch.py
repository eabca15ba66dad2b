if not force and path.exists():
    return cache[path]
data = parse(open_file(path))
if data:
    print("fresh")
    return data
print("stale")
