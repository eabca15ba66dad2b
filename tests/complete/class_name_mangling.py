"""Private name mangling in every position it applies."""
import re

__module_private = "module"


class Vault:
    __secret = "s3cret"
    __slots__ = ("__key", "public")
    __dunder__ = "not mangled"
    _single = "single"

    def __init__(self, __key, *, __option=2):
        self.__key = __key
        self.public = __option

    def __hidden(self, __arg=5):
        __local = __arg + 1
        return __local, sorted(locals())[:1]

    def reveal(self):
        return self.__key, self.__secret, Vault.__secret, self.__hidden(), self.__hidden(_Vault__arg=1)

    def lookups(self):
        out = [getattr(self, "__key", "no mangling in strings"), getattr(self, "_Vault__key")]
        try:
            out.append(__module_private)
        except NameError as e:
            out.append(str(e))
        __inner = [__x * 2 for __x in range(3)]
        out.append((lambda __p: __p + len(__inner))(1))
        return out

    def nested(self):
        def __helper(__v):
            nonlocal_value = __v
            return nonlocal_value, self.__key

        class Inside:
            __secret = "inner"

            def get(self):
                return self.__secret, [n for n in dir(self) if "secret" in n]
        return __helper(1), Inside().get(), __helper.__name__

    def globals_too(self):
        global __g
        __g = 1
        return [n for n in globals() if n.endswith("__g")]

    def handlers(self):
        try:
            raise ValueError("v")
        except ValueError as __err:
            msg = str(__err)
        for __i in range(2):
            pass
        with open("/dev/null") as __fh:
            pass
        import os as __os
        del __fh
        if (__w := 3) > 2:
            __w += 1
        self.__key += "+"
        self.__key, __b = self.__key * 2, 1
        return msg, __i, __os.sep, __w, self.__key, sorted(n for n in locals() if n.startswith("_Vault"))

    def keyword(self):
        return dict(__a=1, b=2), f"{self.__key} {__class__.__name__}"

    def __eq__(self, other):
        return self.__key == other.__key

    def delete(self):
        del self.__key
        try:
            self.__key
        except AttributeError as e:
            return str(e)


class _Leading(Vault):
    __x = 1

    def names(self):
        return self.__x, sorted(n for n in vars(_Leading) if "x" in n and not n.startswith("__"))


class ___:
    __y = 2
    value = __y


v = Vault("k")
print(v.reveal())
print(v.lookups())
print(v.nested())
print(v.globals_too(), v.keyword(), v == Vault("k"))
print(v.handlers())
print(v.delete())
print(_Leading("z").names(), ___.value, [n for n in vars(___) if "y" in n])
try:
    v.__key
except AttributeError as e:
    print(e)
print(Vault.__init__.__code__.co_varnames, Vault.__init__.__kwdefaults__)
print(re.sub("[a-z]+", "*", "Vault__x"), [n for n in dir(Vault) if "Vault" in n])
