import cloudapi

def get(name):
    raise cloudapi.NotFound(name)

try:
    get("bucket")
except cloudapi.NotFound as e:
    print("not found")
