"""except clause evaluation: order, laziness, dynamic types, nested tries."""

log = []


def exc_type(name, t):
    log.append(name)
    return t


class Matcher(type):
    def __instancecheck__(cls, inst):
        log.append("instancecheck")
        return True


class Odd(Exception, metaclass=Matcher):
    pass


def trial(thrown):
    log.clear()
    try:
        log.append("body")
        if thrown:
            raise thrown
    except exc_type("first", (KeyError, IndexError)) as e:
        log.append(("lookup", type(e).__name__))
    except exc_type("second", ZeroDivisionError):
        log.append("zero")
    except (exc_type("third", OSError), exc_type("fourth", ValueError), TypeError) as e:
        log.append(("multi", repr(e)))
    except Odd:
        log.append("odd")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return list(log)


print(trial(None))
print(trial(KeyError("k")))
print(trial(ZeroDivisionError))
print(trial(ValueError("v")))
print(trial(TypeError("t")))
for exc in (Odd("o"), RuntimeError("r")):
    try:
        print(trial(exc))
    except Exception as e:
        print("escaped", type(e).__name__, e, log)

for bad in (1, "str", (KeyError, 3), int, None):
    try:
        try:
            raise ValueError("x")
        except bad:
            print("impossible")
    except TypeError as e:
        print("TypeError", e, repr(e.__context__))

try:
    try:
        raise ValueError("original")
    except undefined_exception_class as e:
        pass
except NameError as e:
    print(e, "| context", repr(e.__context__))


def returns():
    for i in range(3):
        try:
            if i == 1:
                return "ret %d" % i
        except Exception:
            pass
        finally:
            print("fin", i)


print(returns())


class Dyn:
    errors = (KeyError,)

    def get(self, d, k):
        try:
            return d[k]
        except self.errors as e:
            return "missing " + e.args[0]


print(Dyn().get({}, "a"), Dyn().get({"a": 1}, "a"))
