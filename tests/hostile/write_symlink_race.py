# A link that points into the working folder or out of it, swapped while another thread writes through it.
# outcome: completed | error
# coverage: any
# inject: none
import os, threading
over = threading.Event()


def swap():
    while not over.is_set():
        for target in ["kept.txt", "@OUTSIDE@/target.txt"]:
            os.symlink(target, "next")
            os.replace("next", "link")


threading.Thread(target=swap, daemon=True).start()
for _ in range(20_000):
    try:
        with open("link", "r+") as file:
            file.write("stolen")
    except OSError:
        pass
over.set()
