try:
    value = lookup("x")
except (KeyError, ValueError):
    value = None
else:
    value = adjust(value)
finally:
    release(value)
print("fine")
