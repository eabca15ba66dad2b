"""Code object attributes a rewriter could disturb."""
import types


def sample(a, b=1, /, c=2, *args, d, e=3, **kw):
    """doc"""
    x = y = a + b
    def inner(z):
        nonlocal x
        x += z
        return x, len(args), undefined_g
    try:
        for i, j in kw.items():
            y += i.attr.deeper(j)
    except (KeyError, ValueError) as err:
        raise err from None
    return inner


class K:
    z = 1
    def method(self): return self.__private, __class__


async def co(p): return await p
def gen(): yield from (q for q in ())
async def agen(): yield 1


code = sample.__code__
print(code.co_varnames, code.co_cellvars, code.co_freevars, code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
print(code.co_names, code.co_flags & 0xFF, code.co_nlocals, code.co_firstlineno)
print(sample(1, d=0).__code__.co_freevars, sample(1, d=0).__closure__[1].cell_contents, [c for c in code.co_consts if isinstance(c, (str, int))])
for f in (co, gen, agen, K.method, lambda: (yield), lambda: 0):
    print(f.__name__, f.__code__.co_flags & 0x3A0, f.__code__.co_names, f.__code__.co_varnames, f.__code__.co_freevars)
print(sample.__defaults__, sample.__kwdefaults__, sample.__dict__, sample.__globals__ is globals())
g = types.FunctionType(code, {"undefined_g": 5, "__builtins__": __builtins__}, "renamed", (10, 20), None)
try:
    print(g(1))
except TypeError as e:
    print(e)
print(g(1, d=2, e=3)(4), g.__name__, g.__qualname__)
new = (lambda v: v * 2).__code__.replace(co_name="doubled")
print(types.FunctionType(new, globals())(21), new.co_name)
def swap(a): return a + 1
swap.__code__ = (lambda a: a * 100).__code__
print(swap(2))
print(sum(isinstance(c, types.CodeType) for c in code.co_consts), compile("a.b(c)[d]", "", "eval").co_names)
print(K.__dict__["method"].__code__.co_names, "__classcell__" in vars(K), sorted(vars(K))[:2])
def one(): return 1
def two(): return 1
print(one.__code__ == two.__code__, one.__code__ == one.__code__.replace(), hash(one.__code__) == hash(one.__code__))
def const_folding(): return (1 + 2, "a" * 3, (1, 2, 3), -5, not True, {1, 2} and None, 3 in {1, 2, 3})
print(const_folding(), isinstance(one.__code__.co_stacksize, int))
if __debug__: print("debug on")
else: print("debug off")
