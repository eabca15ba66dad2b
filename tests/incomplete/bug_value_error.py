rows = load_rows("x.csv")
print("before")
year = int("19x4")
print("after")
