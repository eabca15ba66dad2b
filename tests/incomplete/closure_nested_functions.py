def outer():
    def inner():
        return step + offset
    early = inner()
    step = 2
    return step

print(outer())
