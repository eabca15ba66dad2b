>>> x = 5
>>> def double(n):
...     return n * 2
...
>>> print(double(x))
10
>>> double("ab")
'abab'
>>> frobnicate(x)
<Frob object at 0x7f00>
>>> print("end")
end
