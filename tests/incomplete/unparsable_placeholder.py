import math
model = <your model here>
print(math.floor(2.7))
model.fit(samples)
print("fitted")
