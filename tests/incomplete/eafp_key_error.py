ages = {"ann": 31}
try:
    age = ages["bob"]
except KeyError:
    age = -1
try:
    mode = options["mode"]
except KeyError:
    mode = None
print(age, mode is None)
