a = "%s is %d years and %.1f m" % (name, age, height)
b = "{0}-{1:>8}-{x:.3f}".format(first, second, x=third)
c = "total: " + str(total)
d = "%(key)s" % record
e = format(amount, ",.2f")
print(" is " in a, b.count("-") > 1, c.startswith("total: "))
