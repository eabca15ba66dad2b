"""Uncaught: exception while handling another, in except and in finally."""


def parse(text):
    try:
        return int(text)
    except ValueError:
        print("cannot parse", text)
        return fallback(text)


def fallback(text):
    table = {"one": 1, "two": 2}
    try:
        return table[text]
    finally:
        cleanup(text)


def cleanup(text):
    if text == "three":
        raise OSError("cleanup failed for " + text)
    print("cleaned", text)


print(parse("7"))
print(parse("two"))
print(parse("three"))
