from math import *

print(floor(sqrt(17)))
print(cube(2) is not None)
