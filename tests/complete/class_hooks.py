"""__init_subclass__, __set_name__, __class_getitem__, __mro_entries__."""


class Field:
    def __init__(self, kind):
        self.kind = kind
        self.name = None

    def __set_name__(self, owner, name):
        print("set_name", owner.__name__, name)
        self.name = name
        owner.fields = getattr(owner, "fields", ()) + (name,)

    def __get__(self, obj, owner):
        if obj is None:
            return self
        print("get", self.name)
        return obj.__dict__.get(self.name, self.kind())

    def __set__(self, obj, value):
        print("set", self.name, repr(value))
        obj.__dict__[self.name] = self.kind(value)

    def __delete__(self, obj):
        print("delete", self.name)
        obj.__dict__.pop(self.name, None)


class Model:
    registry = {}

    def __init_subclass__(cls, /, table=None, **kw):
        super().__init_subclass__(**kw)
        print("init_subclass", cls.__name__, table)
        cls.registry[table or cls.__name__.lower()] = cls

    def __class_getitem__(cls, item):
        return f"{cls.__name__}[{item}]"


class User(Model, table="users"):
    name = Field(str)
    age: int = Field(int)

    class Meta(Model):
        label = Field(str)


class Admin(User):
    rights = Field(list)


u = Admin()
u.name, u.age = "ann", "42"
u.age += 1
print(u.name, u.age, u.rights, Admin.fields, User.fields, type(User.name).__name__)
del u.name
print(repr(u.name), sorted(Model.registry), User[int], Admin["x", 1])
print(vars(u))


class Alias:
    def __init__(self, target):
        self.target = target

    def __mro_entries__(self, bases):
        print("mro_entries", len(bases))
        return (self.target,)


class Derived(Alias(User)):
    pass


print(Derived.__mro__[1].__name__, Derived.__orig_bases__[0].__class__.__name__)
try:
    class Bad:
        f = type("Exploding", (), {"__set_name__": lambda s, o, n: 1 / 0})()
except (RuntimeError, ZeroDivisionError) as e:
    print(type(e).__name__, type(e.__cause__).__name__)
try:
    class Wrong(Model, unknown=1):
        pass
except TypeError as e:
    print(e)
