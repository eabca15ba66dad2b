"""Context, cause, suppress, and nested handlers seen from Python."""


class ConfigError(Exception):
    def __init__(self, key, *, hint=None):
        super().__init__(key)
        self.key = key
        self.hint = hint

    def __str__(self):
        return f"bad key {self.key!r}" + (f" ({self.hint})" if self.hint else "")


def describe(e, depth=0):
    if e is None:
        return
    print("  " * depth + f"{type(e).__name__}: {e} suppress={e.__suppress_context__}")
    if e.__cause__ is not None:
        print("  " * depth + "cause:")
        describe(e.__cause__, depth + 1)
    elif e.__context__ is not None:
        print("  " * depth + "context:")
        describe(e.__context__, depth + 1)


def read(conf, key):
    try:
        return conf[key]
    except KeyError as err:
        raise ConfigError(key, hint="missing") from err


def read_quiet(conf, key):
    try:
        return conf[key]
    except KeyError:
        raise ConfigError(key) from None


def read_buggy(conf, key):
    try:
        return conf[key]
    except KeyError:
        return conf.nothing


def in_finally():
    try:
        1 / 0
    finally:
        [][0]


for f in (read, read_quiet, read_buggy):
    try:
        f({}, "host")
    except Exception as e:
        describe(e)
try:
    in_finally()
except IndexError as e:
    describe(e)
try:
    try:
        raise ValueError("first")
    except ValueError as v:
        try:
            raise TypeError("second")
        except TypeError as t:
            raise v from t
except ValueError as e:
    describe(e)
try:
    raise KeyError("x") from ValueError
except KeyError as e:
    describe(e)
try:
    raise KeyError("x") from 5
except TypeError as e:
    describe(e)
e = "before"
try:
    raise OSError("gone")
except (IndexError, OSError) as e:
    print("inside", e)
print("e" in globals())
err = ConfigError("k")
print(repr(err), err, err.args, vars(err))
try:
    raise err.with_traceback(None)
except ConfigError as same:
    print(same is err, same.__traceback__.tb_lineno, same.__traceback__.tb_next)
