import os

for name in os.listdir(folder):
    for line in open(name):
        print("was read")
try:
    open(folder.path)
except OSError:
    print("no such file")
