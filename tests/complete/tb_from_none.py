"""Uncaught: context suppressed with from None, re-raised through layers."""


def convert(value):
    try:
        return {"yes": True, "no": False}[value]
    except KeyError:
        raise ValueError("not a boolean: %r" % (value,)) from None


def convert_all(values):
    out = []
    for position, value in enumerate(values):
        try:
            out.append(convert(value))
        except ValueError as e:
            e.args = (e.args[0] + " at %d" % position,)
            raise
    return out


print(convert_all(["yes", "no"]))
print(convert_all(["yes", "maybe"]))
