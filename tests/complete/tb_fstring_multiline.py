"""Uncaught: triple-quoted f-string whose field on a later line fails."""

order = {"id": 7, "items": [("pen", 2, 1.5), ("book", 1, 12.0)], "customer": None}

header = f"""Order {order['id']}
  first: {order['items'][0][0]:>8}
  total: {sum(n * p for _, n, p in order['items']):8.2f}
"""
print(header, end="")


def render(o):
    return f"""
    id       {o['id']:04d}
    items    {len(o['items'])}
    customer {o['customer'].name}
    done
    """


print(render(order))
