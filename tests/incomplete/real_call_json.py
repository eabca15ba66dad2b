import json

body = fetch_body()
data = json.loads(body)
title = data["title"]
print("loaded")
