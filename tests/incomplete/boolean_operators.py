name = given_name or default_name
ok = is_valid and is_fresh
if not (is_valid or never_called()):
    print("bad")
else:
    print("good")
