for price in [3, 4, 5]:
    total += price
average = total / 3
print("done")
