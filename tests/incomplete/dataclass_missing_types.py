from dataclasses import dataclass, field

@dataclass
class Order:
    customer: Customer
    total: Decimal = 0
    currency: str = DEFAULT_CURRENCY
    lines: list = field(default_factory=list)

o = Order("bob")
o.lines.append(OrderLine("pen", 2))
print(o.customer, o.total, len(o.lines))
