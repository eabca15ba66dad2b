handlers = {}
add = registry.setdefault("math", {})
handlers[make_key("add")] = lambda a, b: a + b
curried(1)(2)(3)
actions["save"]("file.txt", overwrite=True)
for key, func in handlers.items():
    print(func(1, 2))
