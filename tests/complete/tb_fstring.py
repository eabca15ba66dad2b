"""Uncaught: failures inside f-string replacement fields."""


class Temperature:
    def __init__(self, degrees):
        self.degrees = degrees

    def __format__(self, spec):
        if spec == "bad":
            raise ValueError(f"unknown spec {spec!r} for {self.degrees:.1f}")
        return f"{self.degrees:{spec or '.2f'}}"


t = Temperature(21.456)
width = 10
print(f"{t} {t:.1f} {t.degrees:>{width}.3f} {t.degrees!r:*^{width + 5}}")
print(f"{width=} {width * 2 = } {t.degrees!s:.4}")
print(
    f"plain {width} text "
    f"{t:.0f} and {'bad' if width else 'ok'} "
    f"{t:{'bad' if width else 'ok'}} end"
)
