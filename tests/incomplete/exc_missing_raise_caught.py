def parse(text):
    if "=" not in text:
        raise ParseFailure("no equals sign")
    return text.split("=")

try:
    parse("abc")
    print("parsed")
except ParseFailure:
    print("rejected")
