# requires: 3.10
# Every way through the compound statements.
import asyncio


class Swallow:
    def __init__(self, swallows=True):
        self.swallows = swallows

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return self.swallows

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return self.swallows


def fail(error=ValueError):
    raise error()


def attempts(how):
    for number in range(3):
        try:
            if how == "break":
                break
            if how == "continue":
                continue
            if how == "return":
                return number
            if how == "raise":
                fail()
            if how == "other":
                fail(KeyError)
        except ValueError as error:
            how = str(error)
        except (LookupError, OSError):
            how = "return"
        else:
            how = "done"
        finally:
            number += 1
            if number > 5:
                how = "never"
    else:
        how = "else"
    return how


def nested(how):
    while True:
        try:
            try:
                if how == "return":
                    return 1
                if how == "break":
                    break
                fail(how)
            finally:
                done = 1
        except ValueError:
            how = "break"
        finally:
            done += 1
    return done


def overridden():
    for number in range(2):
        try:
            return number
        finally:
            if number == 0:
                continue
    return "end"


def contexts(how):
    for number in range(3):
        with Swallow(how == "swallow") as one, Swallow(False):
            if how == "break":
                break
            if how == "continue":
                continue
            if how == "return":
                return one.swallows
            if how != "pass":
                fail()
        number += 1
    with Swallow():
        fail()
    return number


def cases(subject):
    match subject:
        case 0 | 1:
            return "number"
        case [first, *_] if first > 1:
            subject = first
        case {"key": value}:
            return value
        case str():
            pass
        case _ if subject is None:
            subject = 2
    match subject:
        case 1:
            subject = 3
        case other:
            subject = other
    return subject


def loops(limit):
    count = 0
    while count < limit:
        count += 1
        if count == 7:
            break
        elif count == 2:
            continue
        elif count == 3:
            pass
        else:
            count += 1
    else:
        count = -1
    for _ in range(count):
        break
    else:
        count = -2
    return count


def generate(count):
    try:
        for number in range(count):
            got = yield number
            if got:
                return got
    except ValueError:
        yield -1
    finally:
        count = 0


def rethrow():
    try:
        fail()
    except ValueError:
        try:
            fail(KeyError)
        except KeyError:
            raise
        finally:
            done = True
    return done


async def delayed(number):
    await asyncio.sleep(0)
    return number


async def numbers():
    for number in range(3):
        yield await delayed(number)


async def asynchronous():
    async with Swallow() as one:
        async for number in numbers():
            if number == 1:
                continue
            if number == 2:
                fail()
        else:
            one = None
    async for number in numbers():
        pass
    else:
        one = number
    return one


def caught(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return repr(error)


for way in ["break", "continue", "return", "raise", "other", "pass"]:
    print(caught(attempts, way))
for way in ["return", "break", ValueError, KeyError]:
    print(caught(nested, way))
for way in ["swallow", "break", "continue", "return", "raise", "pass"]:
    print(caught(contexts, way))
for value in [0, [2], [0], {"key": 1}, "", None, 5]:
    print(caught(cases, value))
for most in [0, 1, 2, 9]:
    print(caught(loops, most))
print(overridden(), caught(rethrow), asyncio.run(asynchronous()))
print(list(generate(2)), [generator.send(None) for generator in [generate(2)]])
stopped = generate(3)
print(next(stopped), stopped.throw(ValueError()), caught(next, stopped))
answered = generate(3)
print(next(answered), caught(answered.send, 1))
del way
