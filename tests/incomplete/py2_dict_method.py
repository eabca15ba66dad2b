stock = {"pen": 3}
audit(stock)
for k, v in stock.iteritems():
    print(k)
