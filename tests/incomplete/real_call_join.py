import json

try:
    line = ",".join(fields)
    record = json.loads(blob)
except ValueError:
    print("bad value")
print("joined")
