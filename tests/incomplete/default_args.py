def connect(host=DEFAULT_HOST, port=cfg.port, *, retries=3):
    return retries

same = lambda a=SHARED, b=None: a is SHARED
print(connect(), same())
