# Bytecode that CPython never made.
# outcome: killed | error | completed | timeout
# coverage: any
# timeout: 2
def f():
    return 1


f.__code__ = f.__code__.replace(co_code=bytes([100, 255] * 4 + [83, 0]), co_consts=(), co_stacksize=0)
f()
