# Carets below the name in tracebacks of `+=` and `del` where nothing is bound.
import traceback


def count_up():
    count += 1


def forget():
    before = 1; del z; print(before)


def forget_twice():
    z = 1
    del z
    del z


def parts():
    rows.total = 1; rows[0] += 2; (del_me, rows) = 1, 2
    del (del_me, rows, more)
    more = 1


def long():
    value = 1
    value += (
        other
    ); other = 2


def matrix():
    matrix @= 1


def nested():
    def inner():
        nonlocal free
        free *= 2

    inner()
    free = 1


def nested_del():
    def inner():
        nonlocal free
        del free

    free = 1
    inner()
    inner()


def of_module():
    global nowhere
    nowhere += 1


def of_module_del():
    global nowhere
    if True: del nowhere


class Counter:
    def run(self):
        __private += 1


every = (count_up, forget, forget_twice, parts, long, matrix, nested, nested_del, of_module, of_module_del)
for function in (*every, Counter().run):
    try:
        function()
    except NameError:
        traceback.print_exc()
del nothing_here
