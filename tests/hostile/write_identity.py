# Becomes somebody else, by a call or by a program that has the right to.
# outcome: completed
# inject: none
# stdout: refused refused True
# coverage: any
import os, subprocess
for attack in [lambda: os.setuid(12345), lambda: os.setgroups([0, 1])]:
    try:
        attack()
        print("done", end=" ")
    except OSError:
        print("refused", end=" ")
show = "import os; print(os.getuid(), open('/proc/self/status').read())"
import sys
text = subprocess.run([sys.executable, "-I", "-c", show], capture_output=True, text=True).stdout
print("CapEff:\t0000000000000000" in text and text.startswith(f"{os.getuid()} "))
