"""Uncaught NameError with a suggestion inside a method."""


class Inventory:
    def __init__(self, stock_items):
        self.stock_items = stock_items

    def value(self, exchange_rate):
        subtotal = 0
        for product, (count, price) in self.stock_items.items():
            subtotal += count * price
        if exchange_rate > 1:
            return subtotl * exchange_rate
        return subtotal


inv = Inventory({"pen": (3, 2), "ink": (1, 5)})
print(inv.value(1))
for attempt in ("inv.stok_items", "Inventry", "inv.vallue(1)", "math", "pint(1)", "stock_items"):
    try:
        print(eval(attempt))
    except (NameError, AttributeError) as e:
        print(attempt, "->", e)
print(inv.value(2))
