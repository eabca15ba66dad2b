def check(role):
    if role != "admin":
        raise PermissionMissing("not allowed: " + role)
    return True

check("guest")
print("never")
