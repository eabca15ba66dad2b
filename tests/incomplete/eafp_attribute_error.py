profile = current_profile()
try:
    shown = profile.nickname
except AttributeError:
    shown = "anonymous"
print(shown)
profile.refresh()
