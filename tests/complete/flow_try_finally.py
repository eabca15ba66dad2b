"""try/except/else/finally with return, break, continue, raise and nesting."""


def order(action):
    out = []
    for i in range(3):
        try:
            out.append(f"try{i}")
            if action == "raise" and i == 1:
                raise ValueError(i)
            if action == "continue" and i == 1:
                continue
            if action == "break" and i == 1:
                break
            if action == "return" and i == 1:
                return out
        except ValueError as e:
            out.append(f"except{e}")
        else:
            out.append(f"else{i}")
        finally:
            out.append(f"finally{i}")
    else:
        out.append("loop-else")
    out.append("end")
    return out


for a in ("none", "raise", "continue", "break", "return"):
    print(a, order(a))


def override():
    try:
        return "try"
    finally:
        return "finally"


def value_saved():
    x = 1
    try:
        return x
    finally:
        x = 2
        print("x now", x)


def swallow():
    while True:
        try:
            1 / 0
        finally:
            break
    return "swallowed"


def nested():
    try:
        try:
            raise KeyError("k")
        except IndexError:
            print("no")
        finally:
            print("inner finally")
    except KeyError as e:
        try:
            raise RuntimeError("second") from e
        except RuntimeError as r:
            return repr(r.__cause__)
    else:
        print("never")
    finally:
        print("outer finally")


def else_raises():
    try:
        pass
    except Exception:
        print("wrong handler")
    else:
        raise OSError("from else")
    finally:
        print("f")


print(override(), value_saved(), swallow(), nested())
try:
    else_raises()
except OSError as e:
    print(e)
e = 1
try:
    try: raise ValueError("one-line")
    except ValueError as e: print("caught", e); raise
    finally: print("finally one-line")
except ValueError: print("again")
print("e" in dir())


def gen():
    try:
        yield 1
        try:
            yield 2
        finally:
            print("g inner")
    except ValueError as err:
        yield f"handled {err}"
    finally:
        print("g outer")


g = gen(); next(g); next(g); print(g.throw(ValueError("x"))); print(list(g))


def retry(n):
    attempts = 0
    while True:
        attempts += 1
        try:
            if attempts < n: raise ConnectionError(attempts)
        except ConnectionError as e:
            last = e
            if attempts > 3: raise LookupError("gave up") from last
            continue
        else: break
        finally: print("attempt", attempts, end="; ")
    return attempts


print(retry(3))
try: retry(9)
except LookupError as e: print(e, repr(e.__cause__))
def f(x):
    try: return x.value
    except AttributeError: return "no value"
    finally: del x
print(f(1), (lambda: f(type("V", (), {"value": 3})))())
try: raise
except RuntimeError as e: print(e)
def reraise():
    try: {}["a"]
    except KeyError:
        def h(): raise
        try: h()
        except KeyError as k: return k.args
print(reraise())
