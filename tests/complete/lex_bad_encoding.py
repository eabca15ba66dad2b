"""A latin-1 byte without a coding line: not valid UTF-8."""
print("never printed")
name = "café"
print(name)
