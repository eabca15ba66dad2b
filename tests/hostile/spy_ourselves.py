# The program that runs it: neither by its name nor as the file behind the process.
# outcome: completed
# inject: none
# stdout: hidden hidden
# coverage: any
for path in ["@BINARY@", "/proc/self/exe"]:
    try:
        open(path, "rb").read(4)
        print("seen", end=" ")
    except OSError:
        print("hidden", end=" ")
