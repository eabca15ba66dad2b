"""logging to stderr with line numbers and function names, stacklevel, exceptions."""
import logging
import sys

logging.basicConfig(format="%(levelname)s:%(name)s:%(funcName)s:%(lineno)d:%(module)s:%(message)s", level=logging.DEBUG)
log = logging.getLogger("app.core")


class Service:
    log = logging.getLogger("app.service")

    def start(self, n):
        self.log.info("starting %d", n)
        self._step(n)
        (lambda: self.log.debug("in lambda"))()
        [self.log.warning("in comp %s", i) for i in range(1)]

    def _step(self, n):
        try:
            return 10 / n
        except ZeroDivisionError:
            self.log.exception("step failed for %r", n)
        finally:
            self.log.error(
                "multi-line call %s",
                n,
            )


def helper(msg):
    log.warning(msg, stacklevel=2)


def user():
    helper("attributed to the caller")


log.debug("at module level")
Service().start(0)
user()
log.info("bad format %d", "x") if len(sys.argv) > 5 else None
log.log(25, "custom level")
logging.addLevelName(25, "NOTICE")
log.log(25, "named level")
child = log.getChild("child")
child.setLevel(logging.ERROR)
child.warning("suppressed")
child.critical("shown", extra={"k": 1})


class Capture(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append((record.funcName, record.lineno, record.getMessage(), record.exc_info is not None))


cap = Capture()
log.addHandler(cap)
log.addFilter(lambda r: "secret" not in r.getMessage())
log.propagate = False


def emit_many():
    for i in range(2): log.info("n=%s", i)
    log.info("secret stuff")
    try: raise KeyError("k")
    except KeyError: log.error("with info", exc_info=True)
    return log.isEnabledFor(logging.DEBUG)


print(emit_many(), cap.records)
logger2 = logging.LoggerAdapter(log, {"who": "me"})
logger2.info("adapted"); print(cap.records[-1])
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(asctime).0s%(message)s [%(funcName)s:%(lineno)d]"))
log.addHandler(handler); log.info("to stdout"); logging.captureWarnings(True)
import warnings; warnings.warn("captured warning"); logging.shutdown()
logging.getLogger().handlers[0].setFormatter(logging.Formatter("%(message)s")); logging.error("%s %s", "too few")
