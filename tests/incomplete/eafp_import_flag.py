try:
    import fastjson_missing as fastjson
    HAVE_FAST = True
except ImportError:
    fastjson = None
    HAVE_FAST = False

def parse_all(text):
    if HAVE_FAST:
        return fastjson.parse(text)
    return text.split(",")

print(parse_all("a,b"), HAVE_FAST)
