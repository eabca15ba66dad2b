"""Form feeds between sections, as in old GNU style."""
import sys

x = 1

def f():
    a = 1

    b = 2
    return a + b + x

class A:
    v = 5
    
    def m(self):
        return self.v+ 1
print(f(), A().m(),"ff in string: |".encode())
if x: print("after colon")
print("at column zero")
  print("indent reset by form feed")
def g(n):
	if n:return 1
print(g)if 0 else print("done", [1,2][5])
