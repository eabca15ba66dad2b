class Greeter:
    def greet(self, name):
        print "Hello, " + name
        return lookup_id(name)

g = Greeter()
g.greet("Zed")
print "bye"
