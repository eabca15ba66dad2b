def read(name):
    try:
        with open(name) as f:
            return f.read()
    except IOError:
        return ""

print(repr(read("no-such-file-7a2.txt")))
