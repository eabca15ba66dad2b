plot(transform(load(path), scale=factor), color=palette["blue"])
legend(loc=best)
print("drawn")
