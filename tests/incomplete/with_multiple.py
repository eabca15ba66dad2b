with lock, tempdir(prefix="t") as path, make_pair() as (left, right):
    target = path + "/out.txt"
    both = [left, right]
    print(len(both))
print("closed")
