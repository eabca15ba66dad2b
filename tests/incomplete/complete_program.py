import collections

class Inventory:
    """Counts of things."""

    def __init__(self):
        self.items = collections.Counter()

    def add(self, name, n=1):
        self.items[name] += n
        return self

inv = Inventory().add("nut", 3).add("bolt").add("nut")
for name, n in inv.items.most_common():
    print(f"{name}: {n}")
