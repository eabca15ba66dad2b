from signing_lib import BadSignature, Signer

signer = Signer("key")
signer.check("value")
raise BadSignature("value was changed")
print("never")
