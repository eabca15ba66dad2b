"""The site builtins exit and quit, called inside a lambda inside a handler."""
actions = {"stop": lambda: exit(12), "other": lambda: quit("bye")}

print(repr(exit), repr(quit).split(" ")[0])
try:
    actions["missing"]()
except KeyError as e:
    print("no action", e)
    actions["stop"]()
finally:
    print("cleanup")
