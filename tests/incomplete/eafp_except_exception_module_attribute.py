import restclient_missing

def ping(url):
    try:
        reply = restclient_missing.fetch(url)
        return reply.ok
    except Exception as e:
        return "failed with " + type(e).__name__

print(ping("http://localhost"))
