if not isinstance(path, str):
    raise TypeError("a path must be text")
if isinstance(names, (list, tuple)):
    columns = dict.fromkeys(names, default)
for number, name in enumerate(columns):
    callback(number, path + ":" + str(name))
print(len(columns), "columns of", path)
