class Plugin(metaclass=PluginRegistry):
    name = "base"

    def run(self, x):
        return x * 2

class Doubler(Plugin):
    name = "doubler"

print(Doubler().run(21), Doubler.name)
