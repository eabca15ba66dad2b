super().__init__(name)
self.ready = True
def close(self):
    return super().close()
close(self)
super(Pool, self).start()
class Base:
    def name(self): return "base"
class Derived(Base):
    def name(self): return super().name() + "!"
    def names(self): return [super(Derived, self).name() for _ in range(2)]
print(Derived().name(), Derived().names())
