rounds = 0
while running:
    rounds += 1
while True:
    chunk = stream.read(1024)
    if not chunk:
        break
    rounds += 1
print("end", rounds > 1)
