# outcome: timeout
# stdout: on
# timeout: 2
print("on", flush=True)
a = 1
while a:
    pass
b = 1  # missed
