"""Uncaught: several calls on one line, one of them with wrong arguments."""


def combine(first, second, *, sep=", "):
    return f"{first}{sep}{second}"


def shout(text):
    return text.upper()


print(combine("a", "b"), combine("c", "d", sep="-"))
print(shout(combine("a", "b")), shout(combine(shout("c"), shout("d"))))
print(shout(combine("a", "b")), shout(combine(shout("c"), shout("d"), shout("e"))), shout("f"))
