@retry(times=3, delay=0.5)
def download(name):
    return "got " + name

for f in ("a.txt", "b.txt"):
    print(download(f))
