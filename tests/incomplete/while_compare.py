i = 0
found = []
while i < n:
    found.append(i)
    i += 1
print(len(found) > 0)
