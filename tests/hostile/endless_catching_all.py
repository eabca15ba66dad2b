# Catches whatever could end it.
# outcome: timeout
# timeout: 1
while True:
    try:
        while True:
            pass
    except BaseException:  # missed
        pass  # missed
