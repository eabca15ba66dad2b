"""No newline after the last line, which is an indented one-line suite."""
x = [1, 2, 3]
def f():
    for q in x:
        if q > 2:
            return f"found {q}"
print(f())
if x:
    try: print(x[5])
    except IndexError as e: print("é", e); print(x[0] + x["k"])