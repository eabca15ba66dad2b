class QuotaExceeded(ServiceException):
    status_code = 429

def consume(n):
    if n > 10:
        raise QuotaExceeded("too many")
    return n

try:
    consume(11)
except QuotaExceeded as exc:
    print("caught", exc.status_code)
