"""NameError, UnboundLocalError (locals and free variables), .name."""


def show(fn):
    try:
        print("ok", fn())
    except NameError as e:
        print(type(e).__name__, "|", e, "|", getattr(e, "name", "?"))


def missing_global():
    return undefined_thing + 1


def unbound_local(flag=False):
    if flag:
        value = 1
    return value


def unbound_aug():
    counter += 1
    return counter


def unbound_free():
    def inner():
        return later
    result = inner()
    later = 3
    return result


def bound_free():
    def inner():
        return later
    later = 3
    return inner()


def deleted_local():
    x = 1
    del x
    return x


def deleted_free():
    x = 1

    def g():
        return x
    del x
    return g()


def except_name():
    try:
        1 / 0
    except ZeroDivisionError as err:
        pass
    return err


def loop_var():
    for item in []:
        pass
    return item


def del_unbound():
    del nothing_bound
    nothing_bound = 1


def nonlocal_unbound():
    def g():
        nonlocal n
        n += 1
        return n
    r = g()
    n = 0
    return r


def global_unbound():
    global brand_new
    brand_new += 1


def comp_unbound():
    return [undefined_in_comp for _ in range(2)]


def class_body():
    class C:
        a = b_not_there
    return C


for f in (missing_global, unbound_local, lambda: unbound_local(True),
          unbound_aug, unbound_free, bound_free, deleted_local, deleted_free,
          except_name, loop_var, del_unbound, nonlocal_unbound, global_unbound,
          comp_unbound, class_body):
    show(f)

try:
    print(pritn)
except NameError as e:
    print(e.args)
try:
    del gone
except NameError as e:
    print(e.args, getattr(e, "name", None))
gone = 4
del gone
try:
    gone
except NameError as e:
    print(e.args)
