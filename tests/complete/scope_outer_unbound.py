import traceback
def show(fn):
    try: fn()
    except Exception: traceback.print_exc()
def f():
    count += 1
def g():
    del z
def h():
    z = 1
    del z; del (a, z)
    a = 1
def outer():
    def inner():
        nonlocal q
        del q
    def inner2():
        nonlocal q
        q += 1
    show(inner); show(inner2)
    def inner3():
        return q
    show(inner3)
    q = 1
    inner()
    show(inner3)
    show(inner2)
    show(inner)
    del q
def gl():
    global gg
    del gg
def gl2():
    global gg
    gg += 1
def gl3():
    return gg
for fn in (f, g, h, outer, gl, gl2, gl3): show(fn)
gg = 1
gl2(); print(gg)
gl()
show(gl3); show(gl2); show(gl)
try: print(gg)
except NameError as e: print(e)
def bl():
    global len
    del len
show(bl)
def bl2():
    global len
    len += 1
show(bl2)
len = 5
bl2(); print(len)
bl()
print(len('abc'))
class C:
    x = 1
    def m(self):
        global x
        del x
    try: del y
    except NameError: traceback.print_exc()
    try: print_ += 1
    except NameError: traceback.print_exc()
    del x
    try: x
    except NameError as e: print(e)
show(C().m)
try: del undefined
except NameError: traceback.print_exc()
try: del len
except NameError: traceback.print_exc()
try: int += 1
except Exception: traceback.print_exc()
def enclosing():
    v = 1
    def inner():
        nonlocal v
        del v
        try: v += 1
        except NameError as e: print(type(e), e)
        try: return v
        except NameError as e: print(type(e), e)
    inner()
    try: print(v)
    except NameError as e: print(type(e), e)
    try: v += 1
    except NameError: traceback.print_exc()
show(enclosing)
