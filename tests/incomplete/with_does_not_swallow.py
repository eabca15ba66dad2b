done = 0
with transaction.atomic():
    ratio = 10 / done
print("unreachable")
