import os
import subprocess
from urllib.request import urlopen

html = urlopen("http://localhost:1/").read()
files = os.listdir("/no/such/dir-7a3")
out = subprocess.check_output(["no-such-tool-7a4", "-v"])
print("all answered")
