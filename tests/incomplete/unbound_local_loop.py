def last_index(items):
    for index, item in enumerate(items):
        pass
    return index

last_index([])
print("none")
