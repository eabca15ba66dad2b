"""Uncaught: evaluating a default argument fails at definition time."""

limits = {"low": 1, "high": 10}


def clamp(value, low=limits["low"], high=limits["high"]):
    return max(low, min(high, value))


print(clamp(50), clamp(-3), clamp(5))


class Box:
    sizes = [1, 2]

    def resize(
        self,
        amount=sizes[0],
        extra=limits["medium"] + sizes[1],
        *,
        note="n",
    ):
        return amount


print("not reached")
