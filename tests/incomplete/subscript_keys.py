key = "user"
name = payload["data"][0][key]
cell = grid[2, 3]
last = rows[-1]["id"]
again = payload["meta"]
print("ok")
