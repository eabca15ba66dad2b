# Leaves files wherever it can.
# outcome: completed
# inject: none
import os
for folder in ["/tmp", "/dev/shm", "."]:
    with open(os.path.join(folder, "left"), "w") as file:
        file.write("left")
