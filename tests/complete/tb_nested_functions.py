"""Uncaught: nested functions, lambdas, default arguments, closures."""


def outer(factor):
    offset = factor * 10

    def middle(values):
        def inner(v, scale=lambda q: q / factor):
            return scale(v) + offset

        return [inner(v) for v in values]

    return middle


make = lambda f: (lambda *vs: sum(outer(f)(vs)))
print(make(2)(1, 2, 3))
compose = lambda *fs: (lambda x: x if not fs else compose(*fs[1:])(fs[0](x)))
print(compose(abs, str, len)(-1234))
print(compose(abs, make(1), lambda t: make(int(t) - 11)(1, 2))(-1))
