# Takes the limits away.
# outcome: completed
# inject: none
# stdout: refused refused refused refused
# coverage: any
import resource
for what in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
    try:
        resource.setrlimit(what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print("lifted", end=" ")
    except (ValueError, OSError):
        print("refused", end=" ")
