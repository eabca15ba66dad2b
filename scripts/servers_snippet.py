import csv
from collections import defaultdict
from decimal import Decimal

from warehouse import connect, settings

LIMIT = 100
totals = defaultdict(Decimal)


class Order:
    def __init__(self, row):
        self.number = int(row["number"])
        self.customer = row["customer"].strip()
        self.amount = Decimal(row["amount"])

    def is_large(self):
        return self.amount > LIMIT

    def label(self):
        if self.is_large():
            return f"{self.customer} (large)"
        return self.customer


def read(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            try:
                yield Order(row)
            except (KeyError, ValueError) as error:
                log.warning("row %s: %s", row, error)


def report(orders):
    for order in orders:
        totals[order.customer] += order.amount
        if order.is_large():
            notify(order.label(), order.amount)
    return sorted(totals.items(), key=lambda item: item[1], reverse=True)


store = connect(settings.url)
for name, total in report(read(path)):
    store.save(name, total)
    if total > budget[name]:
        print(name, "is over by", total - budget[name])
    elif not total:
        continue
print(len(totals), "customers,", sum(totals.values()) / len(totals), "on average")
