"""Line numbers and carets of failures in expressions spread over lines."""
import traceback

zero, text, items = 0, "abc", [1, 2, 3]


class Chain:
    def __init__(self, n=0): self.n = n
    def add(self, k): return Chain(self.n + k)
    def div(self, k): return Chain(self.n // k)
    def value(self): return self.n


def f(*a, **k): return a


def chain():
    return (
        Chain()
        .add(1)
        .div(0)
        .value()
    )


def chain_attr():
    return (Chain()
            .add(1)
            .nope
            .value())


def chain_call_arg():
    return Chain().add(
        5
    ).add(
        items[7]
    ).value()


def binop():
    return (1
            + zero
            - text
            * 2)


def binop2():
    return (
        items[0] *
        items[1]
        /
        zero
    )


def call_args():
    return f(
        items[0],
        *items,
        k=text,
        j=items[
            10
        ],
        **{}
    )


def call_itself():
    return (
        zero
    )(
        1,
        2
    )


def subscript():
    return items[
        0
    ] + items[
        zero
        :
        text
    ][
        0
    ]


def attr():
    return text.\
        upper().\
        nope.\
        lower()


def comprehension():
    return [
        x
        / (x - 2)
        for x
        in items
        if x
    ]


def comp_iter():
    return [
        x
        for x in items
        for y in
        zero
    ]


def dictionary():
    return {
        "a": items[0],
        "b":
            items[5],
        "c": 1,
    }


def conditional():
    return (
        "yes"
        if items[0]
        else "no"
        if zero
        else items[11]
    ) if not items[
        12
    ] else 1


def boolean():
    return (zero
            or ""
            or items[zero - 9]
            or 1)


def comparison():
    return (1
            < 2
            < "x"
            < 4)


def assertion():
    assert (
        items
        == text
    ), (
        "items are not "
        + text
    )


def assert_message():
    assert zero, \
        items[
            20]


def raising():
    raise ValueError(
        "a",
        text +
        "b"
    )


def raising_from():
    raise (
        KeyError("k")
    ) from (
        text
    )


def returning():
    return \
        items[0], \
        items[9], \
        1


def assigning():
    a = \
        b = \
        items[
            3]
    return a, b


def target():
    items[
        7
    ] = (
        text
    )


def target_unpack():
    (a,
     b
     ) = (
        items
    )


def augmented():
    items[
        0
    ] += (
        text
    )


def deleting():
    del (
        items[1:1],
        items[
            9]
    )


def for_iter():
    for x in (
        zero
    ):
        pass


def for_iter2():
    for x in f(
        1,
        items[8]
    ): pass


def if_test():
    if (
        zero
        or text
        > items
    ):
        pass
    elif x:
        pass


def elif_test():
    if zero:
        pass
    elif (
        zero
        + text
    ):
        pass


def while_test():
    while not zero \
            and items[4]:
        pass


def with_items():
    with open("/dev/null") as a, \
            open("/dev/null") as b, \
            Chain(
                1
            ) as c:
        pass


def except_types():
    try:
        1 / zero
    except (
        KeyError,
        items[9],
    ):
        pass


def lambdas():
    return (lambda q:
            q
            .nope)(
        text)


def fstring():
    return (f"a {text} "
            f"b {items[0]} {items[9]} "
            f"c {zero}")


def triple():
    return f"""
    {text}
    {items[
        9]}
    """


def decorators():
    @f
    @items[
        zero + 9
    ]
    @f
    def g():
        pass


def defaults():
    def g(
        a=1,
        b=items[
            9],
        *,
        c=2
    ):
        pass


def bases():
    class K(
        Chain,
        items[
            9],
        metaclass=type
    ):
        pass


def decorated_call():
    @f
    def g(): pass
    @(lambda fn: fn[
        1])
    class K:
        pass


def walrus():
    return ((n := zero)
            or (m :=
                items[n + 9]))


def generator():
    return sum(
        x /
        zero
        for x in items
    )


def implicit_concat():
    return ("a"
            "b%d" %
            items)


def star():
    return [
        *items,
        *zero
    ]


def nested_brackets():
    return f([f((f({"k": [
        items[0], f(
            1, (
                items
                [9]))]})))])


for name, fn in [(k, v) for k, v in list(globals().items()) if callable(v) and k not in ("Chain", "f")]:
    try:
        fn()
    except Exception as e:
        print(f"--- {name}")
        tb = e.__traceback__.tb_next
        while tb:
            print("line", tb.tb_lineno - tb.tb_frame.f_code.co_firstlineno, tb.tb_frame.f_code.co_name, end="; ")
            tb = tb.tb_next
        print()
        print("".join(traceback.format_exception(type(e), e, e.__traceback__.tb_next)).replace(__file__, "FILE"), end="")
    else:
        print(f"--- {name} did not fail")
