"""Uncaught: with statements: body fails, then __exit__ fails too."""


class Resource:
    def __init__(self, name, fail=False, swallow=False):
        self.name, self.fail, self.swallow = name, fail, swallow

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, value, tb):
        print("exit", self.name, kind and kind.__name__, value, tb and tb.tb_lineno)
        if self.fail:
            raise RuntimeError("exit of " + self.name + " failed")
        return self.swallow


with Resource("quiet", swallow=True) as q, Resource("inner"):
    print("using", q.name)
    [].pop()
print("continued")
with Resource("a") as a:
    with Resource("b", fail=True) as b, \
            Resource("c") as c:
        print(a.name + b.name + c.name)
        value = {"k": c}["k"].name + c.nme
print("not reached")
