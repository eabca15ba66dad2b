path = base + "/" + name + ".txt"
banner = "=" * width
both = ["a"] + others
text = "prefix " + suffix
text += "!"
print("built")
