import builtins
import sys

kept = {name: getattr(builtins, name) for name in ("isinstance", "type", "super", "input", "hasattr", "repr", "eval")}


def refuse(*arguments, **named):
    raise RuntimeError("replaced")


engine = answers = standins = "the program's own"
sys.modules["_surmise_standins"] = sys.modules["_surmise_engine"] = None
for name in kept:
    setattr(builtins, name, refuse)
sys._getframe = refuse
total = orders.pending(3)[0].total + 1
for order in orders:
    if order.paid and order.total > total:
        shop.send(order)
try:
    raise shop.Closed("today")
except shop.Closed:
    closed = True


class Counter(shop.Base):
    def count(self):
        return missing_count


Counter().count()
for name, value in kept.items():
    setattr(builtins, name, value)
from shop_missing import names

names.first
print(engine, answers, standins, closed)
del sys.modules["_surmise_standins"], sys.modules["_surmise_engine"]
print(isinstance(shop.cart, int), input())
