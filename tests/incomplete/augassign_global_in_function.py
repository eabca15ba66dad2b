def on_request(path):
    global hits
    hits += 1
    return path.upper()

print(on_request("/index"))
print(on_request("/about"))
