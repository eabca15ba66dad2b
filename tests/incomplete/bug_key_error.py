conf = {"host": "localhost"}
server = Server(conf["host"])
print(conf["port"])
server.run()
