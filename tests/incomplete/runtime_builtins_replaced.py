import builtins
builtins.isinstance = builtins.hasattr = lambda value, kind: False
builtins.len = lambda value: 99
builtins.type = builtins.getattr = builtins.super = builtins.iter = None
try:
    undefined
except NameError:
    print("expected", len(""))
for row in missing.rows:
    print(len(row))
