# requires: 3.11
"""ExceptionGroup, except*, notes, split and subgroup."""
import asyncio


def show(eg, indent=0):
    pad = "  " * indent
    if isinstance(eg, BaseExceptionGroup):
        print(f"{pad}{type(eg).__name__}({eg.message!r})", getattr(eg, "__notes__", []))
        for sub in eg.exceptions:
            show(sub, indent + 1)
    else:
        print(f"{pad}{type(eg).__name__}: {eg}", getattr(eg, "__notes__", []))


def fail_many():
    errors = []
    for n, kind in enumerate((ValueError, KeyError, TypeError, OSError)):
        try:
            raise kind(n)
        except Exception as e:
            e.add_note(f"note {n}")
            errors.append(e)
    raise ExceptionGroup("batch", [errors[0], ExceptionGroup("inner", errors[1:3]), errors[3]])


try:
    fail_many()
except* ValueError as g:
    print("handled values")
    show(g)
except* (KeyError, OSError) as g:
    print("handled key/os")
    show(g)
except* Exception as g:
    print("rest")
    show(g)
else:
    print("never")
finally:
    print("finally")

try:
    try:
        fail_many()
    except* TypeError as g:
        print("only type", len(g.exceptions))
        raise RuntimeError("from handler") from g
except ExceptionGroup as eg:
    show(eg)
try:
    raise ValueError("naked")
except* ValueError as g:
    show(g)

g = ExceptionGroup("g", [ValueError(1), ExceptionGroup("h", [TypeError(2), ValueError(3)])])
match_, rest = g.split(ValueError)
show(match_)
show(rest)
show(g.subgroup(lambda e: "3" in str(e)))
print(g.subgroup(OSError))
for bad in (("m", []), ("m", [1]), (1, [ValueError()])):
    try:
        ExceptionGroup(*bad)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)


async def main():
    async def boom(k):
        raise k("in task")
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(boom(ValueError))
            tg.create_task(boom(KeyError))
    except* ValueError as a:
        show(a)
    except* KeyError as b:
        show(b)


asyncio.run(main())
