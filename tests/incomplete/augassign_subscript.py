words = ["a", "b", "a"]
for w in words:
    histogram[w] += 1
flags["mask"] |= 0x04
matrix[0][1] *= 2.5
print(len(words))
