"""SystemExit raised while handling another exception; group and subclass."""


class Quit(SystemExit):
    def __init__(self, code, why):
        super().__init__(code)
        self.why = why


def run():
    try:
        {}["x"]
    except KeyError as e:
        raise Quit(5, "missing " + str(e)) from e


try:
    run()
except SystemExit as e:
    print(type(e).__name__, e.code, e.why, repr(e.__cause__))
try:
    int("q")
finally:
    run()
