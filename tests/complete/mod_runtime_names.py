# Modules and names that imitate those of the runtime are the program's own.
import sys
import types

mine = types.ModuleType("_surmise_engine")
mine.answer = 42
sys.modules["_surmise_engine"] = mine
import _surmise_engine

print(_surmise_engine.answer, sorted(name for name in sys.modules if "surmise" in name))
del sys.modules["_surmise_engine"]
for name in ("_surmise_engine", "_surmise_standins", "_surmise_program", "surmise"):
    try:
        __import__(name)
    except ImportError as error:
        print(error)
_a_ = "attribute"
_c_ = lambda *arguments: ("called", arguments)
_k_ = {}


class _n_:
    _b_ = 1


def method(_a_, _v_=2):
    return _a_.upper() + str(_v_)


print(_a_.title(), _c_(1, 2), _k_, _n_._b_, len("ab"), method("x"))
del _a_, _c_
try:
    _a_
except NameError as error:
    print(error)
