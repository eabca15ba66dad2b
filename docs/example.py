from warehouse import connect

orders = connect(config).pending()
for order in orders:
    if order.total > limit:
        order.flag("large")
    else:
        archive.append(order)
share = archived / len(orders)
print(f"checked {len(orders)} orders, " + 2)
