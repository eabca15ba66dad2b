def load(key):
    return fetch_remote(key)

def main():
    try:
        return load("k")
    except Exception as exc:
        return type(exc).__name__ + ": " + str(exc)

print(main())
