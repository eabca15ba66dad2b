import httpish

def all_items(url):
    items = []
    while url:
        resp = httpish.get(url, headers={"Auth": API_KEY}, timeout=5)
        resp.raise_for_status()
        page = resp.json()
        items.extend(page["results"])
        url = page["next"]
    return items

print(len(all_items("http://example.org/api")) > 0)
