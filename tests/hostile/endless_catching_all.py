# Catches whatever could end it.
# outcome: timeout
# timeout: 2
while True:
    try:
        while True:
            pass
    except BaseException:  # missed
        pass  # missed
