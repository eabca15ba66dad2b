def make_counter():
    count = 0
    def bump():
        nonlocal count
        count += 1
        notify(count)
        return count
    return bump

c = make_counter()
c()
print(c())
