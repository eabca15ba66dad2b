"""Uncaught AssertionError with a multi-line condition and message."""


def check(order):
    assert order["count"] > 0, "count"
    assert (
        order["count"] * order["price"]
        == order["total"]
    ), "total of {id} is {total}, not {real}".format(
        real=order["count"] * order["price"], **order
    )
    return True


assert check({"id": 1, "count": 2, "price": 3, "total": 6})
print("first ok")
assert check({"id": 2, "count": 2, "price": 3, "total": 7}), "never shown"
