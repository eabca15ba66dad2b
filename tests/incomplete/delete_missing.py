x = 1
del x
del buffer
after = x

def clear():
    del scratch
    return "cleared"

print(clear())
