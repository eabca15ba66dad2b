def second(seq):
    return seq[1]

items = []
notify("go")
print(second(items))
