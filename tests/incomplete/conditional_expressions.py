who = member if logged_in else guest
mode = "fast" if turbo else slow_path()
neg = 1 if not verbose else 2
print(mode, neg)
