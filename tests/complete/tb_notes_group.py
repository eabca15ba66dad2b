# requires: 3.11
"""Uncaught: exception group with notes, causes and nesting."""


def attempt(task):
    if task % 3 == 0:
        raise ValueError(f"task {task} is divisible")
    if task % 3 == 1:
        return {"a": task}["b"]
    try:
        return task / 0
    except ZeroDivisionError as e:
        raise RuntimeError("wrapped") from e


def run_all(tasks):
    errors = []
    for task in tasks:
        try:
            attempt(task)
        except Exception as e:
            e.add_note(f"while running task {task}")
            if task > 2:
                e.add_note("second note\nwith two lines")
            errors.append(e)
    inner = ExceptionGroup("early", errors[:2])
    inner.add_note("group note")
    raise ExceptionGroup("all tasks failed", [inner, *errors[2:]])


print("go")
run_all(range(5))
