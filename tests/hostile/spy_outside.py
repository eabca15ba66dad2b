# A file that anybody may read, in a folder that is not the run's.
# outcome: completed
# inject: none
# stdout: hidden
# coverage: any
try:
    print(open("@OUTSIDE@/target.txt").read())
except OSError:
    print("hidden")
