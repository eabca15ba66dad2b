def search(items, wanted):
    low, high = 0, len(items)
    while low < high:
        mid = (low + high) // 2
        if items[mid] == wanted:
            return mid
        low = mid + 1
    return -1

position = search(values, target)
while position > limit:
    position -= 1
    if position < -1000: break
print("found")
