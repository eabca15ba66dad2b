assert is_ready(), "not ready"
state = "broken"
if state != "ok":
    raise RuntimeError("state is " + state)
print("never")
