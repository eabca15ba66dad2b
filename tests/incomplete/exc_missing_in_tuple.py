def work(kind):
    if kind == 1:
        raise TimeoutMissing("slow")
    return int("x" * kind)

for kind in (1, 2):
    try:
        work(kind)
    except (ValueError, TimeoutMissing):
        print("handled", kind)
