"""Uncaught: an error the symbol table finds, not the parser."""
print("never printed")


def configure(options):
    verbose = options.get("verbose")
    global verbose
    return verbose


print(configure({}))
