"""An atexit handler that raises: reported, the others still run."""
import atexit
import sys


class Cleaner:
    def __init__(self, name):
        self.name = name
        atexit.register(self.clean)

    def __repr__(self):
        return f"Cleaner({self.name})"

    def clean(self):
        print("cleaning", self.name, flush=True)
        return self.missing if self.name == "bad" else self.name


good, bad, last = (Cleaner(n) for n in ("good", "bad", "last"))


class Quitter(Cleaner):
    def clean(self):
        print("quitting", self.name, flush=True)
        sys.exit(9)


quits = Quitter("quits")


print("main")
sys.exit(4)
