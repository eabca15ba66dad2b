match read_event():
    case Color.RED:
        print("value")
    case {"type": kind} if kind == wanted:
        print("mapping")
    case _:
        print("default")
