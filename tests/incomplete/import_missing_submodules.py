import acme.storage.client
import acme.auth as auth
from acme.net.http import Session

token = auth.login("me", "pw")
store = acme.storage.client.Store(token)
s = Session()
s.headers["X-Token"] = token
print("ready")
