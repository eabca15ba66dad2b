#!/usr/bin/python
# vim: set fileencoding=utf-8 :
s = "žluťoučký"
print(s, len(s), s.encode("utf-8"))
def g(): return {"ž": s}["x"]
try: g()
except KeyError as e: print("KeyError", e, e.__traceback__.tb_next.tb_lineno)
