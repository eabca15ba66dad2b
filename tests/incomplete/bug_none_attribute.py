import re

line = "no digits here"
configure(verbose=True)
found = re.search(r"\d+", line)
print(found.group(0))
