"""Operations of stand-ins in paired runs: writes and calls are recorded, answers know their operands.

Replaces methods of the class for the one program of this process.
"""


def install(standins, engine):
    kind = standins.StandIn

    def method(function):
        setattr(kind, function.__name__, function)

    @method
    def __setattr__(self, name, value):
        state = self._surmise_state
        state.attributes[name] = value
        engine.record("write", f"{state.name}.{name} = {engine.describe(value)}")

    @method
    def __delattr__(self, name):
        state = self._surmise_state
        state.attributes.pop(name, None)
        engine.record("delete", f"{state.name}.{name}")

    @method
    def __setitem__(self, key, value):
        state = self._surmise_state
        try:
            state.items[key] = value
        except TypeError:
            pass
        engine.record("write", f"{state.name}[{engine.describe(key)}] = {engine.describe(value)}")

    @method
    def __delitem__(self, key):
        state = self._surmise_state
        try:
            state.items.pop(key, None)
        except TypeError:
            pass
        engine.record("delete", f"{state.name}[{engine.describe(key)}]")

    @method
    def __hash__(self):
        # By path: the order of sets of stand-ins is the same in both versions.
        return hash(self._surmise_state.name)

    @method
    def __contains__(self, item):
        return engine.decide(self, "membership", f" of {engine.describe(item)}")

    @method
    def __enter__(self):
        engine.record("enter", self._surmise_state.name)
        return self

    @method
    def __exit__(self, kind, value, traceback):
        engine.record("exit", self._surmise_state.name)

    @method
    async def __aenter__(self):
        return self.__enter__()

    @method
    async def __aexit__(self, kind, value, traceback):
        self.__exit__(kind, value, traceback)

    @method
    def __await__(self):
        engine.record("await", self._surmise_state.name)
        return self
        yield

    @method
    def __reversed__(self):
        return reversed(list(engine.iterate(self)))

    @method
    def __int__(self):
        return 1 + engine.draw(f"{self._surmise_state.name}:int", 9)

    @method
    def __float__(self):
        return 1.0 + engine.draw(f"{self._surmise_state.name}:float", 9)

    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(kind, f"__{name}__", comparison(engine, name))
    for name in list(vars(kind)):
        if getattr(vars(kind)[name], "__qualname__", "").startswith("_arithmetic."):
            setattr(kind, name, arithmetic(engine, name))


def comparison(engine, name):
    def compare(self, other):
        if other is self:
            return name in ("eq", "le", "ge")
        return engine.compare(self, name, other)

    return compare


def arithmetic(engine, name):
    def operation(self, *others):
        return engine.arithmetic(self, name, others)

    return operation
