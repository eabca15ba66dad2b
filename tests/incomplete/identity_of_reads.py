first = thing
second = thing
a = factory()
b = factory()
print(first is second, thing.part is thing.part, a is b)
thing.size = 12
print(thing.size)
