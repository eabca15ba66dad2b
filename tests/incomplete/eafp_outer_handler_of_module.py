try:
    engine.start()
except (KeyError, NameError):
    print("no engine")
engine.stop()
print("stopped")
