colors = ["red", "green", "blue", "black", "white"]
prices = {"apple": 3}
prices[product] = 7
print(len(prices))
part = colors[start:]
picked = prices[product]
print(picked, product in prices)
