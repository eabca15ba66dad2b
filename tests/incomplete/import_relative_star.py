from .mod import *
from ..base import Handler

class PingHandler(Handler):
    def get(self):
        self.write({"status": STATUS_OK})

PingHandler(None, None).get()
print(compute_total([1, 2]) is None)
