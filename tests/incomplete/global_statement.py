def setup():
    global settings
    settings = {"mode": "fast"}

def current():
    global active_user
    return active_user

setup()
current()
print(settings["mode"])
