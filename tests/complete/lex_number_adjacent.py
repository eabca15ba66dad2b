"""Numbers followed at once by a keyword: a warning on newer versions."""
x = 5
print(1if x else 2, [0x1for x in (1, 2)], 1or 2, 1.if x else 0, 0xfor x, 1_0in[10], 5and 6, 3is not None)
print("done")
