# Switches that belong to user 0, capabilities or not.
# outcome: completed
# inject: none
# stdout: refused refused refused refused refused
# coverage: any
for path in [
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/pid_max",
    "/proc/sysrq-trigger",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/cgroup.procs",
]:
    try:
        open(path, "w")
        print("opened", end=" ")
    except OSError:
        print("refused", end=" ")
