# Removes every file it can.
# outcome: completed | error | timeout
# coverage: any
# inject: none
# timeout: 5
import os, shutil
for folder in ["@OUTSIDE@", ".", "/tmp", "/etc", "/root", "/home", "/dev", "/usr/lib", "/"]:
    shutil.rmtree(folder, ignore_errors=True)
