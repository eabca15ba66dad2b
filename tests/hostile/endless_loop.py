# outcome: timeout
# stdout: on
# timeout: 1
print("on", flush=True)
a = 1
while a:
    pass
b = 1  # missed
