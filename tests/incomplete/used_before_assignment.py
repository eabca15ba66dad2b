start(port)
def helper():
    return port * 2
port = 8080
print(helper())
