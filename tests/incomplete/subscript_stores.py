board[0][0] = "X"
cache["a"]["b"]["c"] = [1, 2]
del cache["old"]
settings.DATABASES["default"]["HOST"] = "db"
board[1:3] = ["O", "O"]
print("stored")
