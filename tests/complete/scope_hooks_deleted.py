# Takes names with one letter between underscores out of `builtins`; plain Python has none.
import builtins

for name in list(vars(builtins)):
    if len(name) == 3 and name[0] == name[2] == "_":
        delattr(builtins, name)
print(len("ab"), "x".upper())
