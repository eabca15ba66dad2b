# requires: 3.12
"""f-strings as of PEP 701: same quotes, backslashes, comments, deep nesting."""
names = ["a", "b"]
d = {"k": "v", "n": {"m": [1, 2]}}
print(f"{d["k"]} {d["n"]["m"][1]} {", ".join(names)} {'\n'.join(names)!r}")
print(f"{f"{f"{f"{1 + 1}"}"}"}")
print(f"{
    d["k"]  # a comment with } and "quotes"
    .upper()
    + "x"  # another
:>{
    10  # width
}}|")
print(f"{"nested {not a field}"} {"{" + "}"} {f"{{{d["k"]}}}"}")
print(f"{[f"{n}={i}" for i, n in enumerate(names)]} {(lambda x: f"{x:>{"5"}}")("z")}")
print(f"{d["k"]=} {f"{names}"=} {"a" "b"=!s}")
print(f'{'single' + 'quotes'} {"\t".join(names)!a} {'\\'} {"\N{BULLET}"}')
value = 3.14159
print(f"{value:{"."}{"2"}f} {value!r:^{"10"}} {value:>{f"{len(names)}"}0}")


def fail(x):
    return f"prefix {"日本"} {d["k"]} {
        d["n"]["m"][x]
    } tail {f"{d["missing"]}"}"


try:
    fail(0)
except KeyError as e:
    print("KeyError", e, e.__traceback__.tb_next.tb_lineno)
print(fail(5))
