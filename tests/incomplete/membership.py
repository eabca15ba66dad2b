known = {"a": 1}
tags = {1, 2}
if "admin" in roles:
    r = 1
if word in known:
    r = 2
if word not in tags:
    r = 3
tags.add(word)
known[word] = 5
print(known[word], word in tags, word in known)
