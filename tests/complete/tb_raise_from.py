"""Uncaught: explicit chaining with a three-step cause chain."""


class StorageError(Exception):
    pass


class ServiceError(RuntimeError):
    def __init__(self, code, message):
        super().__init__(code, message)
        self.code = code

    def __str__(self):
        return "service failed with code %d: %s" % self.args


def load(table, key):
    try:
        return table[key]
    except KeyError as exc:
        raise StorageError(f"no row {key!r}") from exc


def serve(table, key):
    try:
        return load(table, key)
    except StorageError as exc:
        raise ServiceError(500 + len(key), "lookup of " + key) from exc


print(serve({"a": 1}, "a"))
print(serve({"a": 1}, "zz"))
