"""Deeply nested brackets, calls, subscripts, lambdas; many elifs."""
def f(x): return x + 1
a = [0]
print(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
print(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(0)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
print(a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[a[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]])
print([[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0])
print((lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: lambda: a)()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()()())
print({"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": {"k": f(1)}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"]["k"])
print(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(a[f(a[0])-1])))))))))))))))))))))))))))))))))))))))
print(not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not not a, --------------------------------------------------------------------------------a[0], ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~5)
print(1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else (1 if a[0] else (2 if not a else ("deep")))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
print([x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in a]]]]]]]]]]]]]]]]]]]])
print(f"{f(1)} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} {[f(2)][0]} ")
def grade(n):
    if n == 0: return "0:" + str(f(n))
    elif n == 1: return "1:" + str(f(n))
    elif n == 2: return "2:" + str(f(n))
    elif n == 3: return "3:" + str(f(n))
    elif n == 4: return "4:" + str(f(n))
    elif n == 5: return "5:" + str(f(n))
    elif n == 6: return "6:" + str(f(n))
    elif n == 7: return "7:" + str(f(n))
    elif n == 8: return "8:" + str(f(n))
    elif n == 9: return "9:" + str(f(n))
    elif n == 10: return "10:" + str(f(n))
    elif n == 11: return "11:" + str(f(n))
    elif n == 12: return "12:" + str(f(n))
    elif n == 13: return "13:" + str(f(n))
    elif n == 14: return "14:" + str(f(n))
    elif n == 15: return "15:" + str(f(n))
    elif n == 16: return "16:" + str(f(n))
    elif n == 17: return "17:" + str(f(n))
    elif n == 18: return "18:" + str(f(n))
    elif n == 19: return "19:" + str(f(n))
    elif n == 20: return "20:" + str(f(n))
    elif n == 21: return "21:" + str(f(n))
    elif n == 22: return "22:" + str(f(n))
    elif n == 23: return "23:" + str(f(n))
    elif n == 24: return "24:" + str(f(n))
    elif n == 25: return "25:" + str(f(n))
    elif n == 26: return "26:" + str(f(n))
    elif n == 27: return "27:" + str(f(n))
    elif n == 28: return "28:" + str(f(n))
    elif n == 29: return "29:" + str(f(n))
    elif n == 30: return "30:" + str(f(n))
    elif n == 31: return "31:" + str(f(n))
    elif n == 32: return "32:" + str(f(n))
    elif n == 33: return "33:" + str(f(n))
    elif n == 34: return "34:" + str(f(n))
    elif n == 35: return "35:" + str(f(n))
    elif n == 36: return "36:" + str(f(n))
    elif n == 37: return "37:" + str(f(n))
    elif n == 38: return "38:" + str(f(n))
    elif n == 39: return "39:" + str(f(n))
    elif n == 40: return "40:" + str(f(n))
    elif n == 41: return "41:" + str(f(n))
    elif n == 42: return "42:" + str(f(n))
    elif n == 43: return "43:" + str(f(n))
    elif n == 44: return "44:" + str(f(n))
    elif n == 45: return "45:" + str(f(n))
    elif n == 46: return "46:" + str(f(n))
    elif n == 47: return "47:" + str(f(n))
    elif n == 48: return "48:" + str(f(n))
    elif n == 49: return "49:" + str(f(n))
    elif n == 50: return "50:" + str(f(n))
    elif n == 51: return "51:" + str(f(n))
    elif n == 52: return "52:" + str(f(n))
    elif n == 53: return "53:" + str(f(n))
    elif n == 54: return "54:" + str(f(n))
    elif n == 55: return "55:" + str(f(n))
    elif n == 56: return "56:" + str(f(n))
    elif n == 57: return "57:" + str(f(n))
    elif n == 58: return "58:" + str(f(n))
    elif n == 59: return "59:" + str(f(n))
    elif n == 60: return "60:" + str(f(n))
    elif n == 61: return "61:" + str(f(n))
    elif n == 62: return "62:" + str(f(n))
    elif n == 63: return "63:" + str(f(n))
    elif n == 64: return "64:" + str(f(n))
    elif n == 65: return "65:" + str(f(n))
    elif n == 66: return "66:" + str(f(n))
    elif n == 67: return "67:" + str(f(n))
    elif n == 68: return "68:" + str(f(n))
    elif n == 69: return "69:" + str(f(n))
    elif n == 70: return "70:" + str(f(n))
    elif n == 71: return "71:" + str(f(n))
    elif n == 72: return "72:" + str(f(n))
    elif n == 73: return "73:" + str(f(n))
    elif n == 74: return "74:" + str(f(n))
    elif n == 75: return "75:" + str(f(n))
    elif n == 76: return "76:" + str(f(n))
    elif n == 77: return "77:" + str(f(n))
    elif n == 78: return "78:" + str(f(n))
    elif n == 79: return "79:" + str(f(n))
    elif n == 80: return "80:" + str(f(n))
    elif n == 81: return "81:" + str(f(n))
    elif n == 82: return "82:" + str(f(n))
    elif n == 83: return "83:" + str(f(n))
    elif n == 84: return "84:" + str(f(n))
    elif n == 85: return "85:" + str(f(n))
    elif n == 86: return "86:" + str(f(n))
    elif n == 87: return "87:" + str(f(n))
    elif n == 88: return "88:" + str(f(n))
    elif n == 89: return "89:" + str(f(n))
    elif n == 90: return "90:" + str(f(n))
    elif n == 91: return "91:" + str(f(n))
    elif n == 92: return "92:" + str(f(n))
    elif n == 93: return "93:" + str(f(n))
    elif n == 94: return "94:" + str(f(n))
    elif n == 95: return "95:" + str(f(n))
    elif n == 96: return "96:" + str(f(n))
    elif n == 97: return "97:" + str(f(n))
    elif n == 98: return "98:" + str(f(n))
    elif n == 99: return "99:" + str(f(n))
    elif n == 100: return "100:" + str(f(n))
    elif n == 101: return "101:" + str(f(n))
    elif n == 102: return "102:" + str(f(n))
    elif n == 103: return "103:" + str(f(n))
    elif n == 104: return "104:" + str(f(n))
    elif n == 105: return "105:" + str(f(n))
    elif n == 106: return "106:" + str(f(n))
    elif n == 107: return "107:" + str(f(n))
    elif n == 108: return "108:" + str(f(n))
    elif n == 109: return "109:" + str(f(n))
    elif n == 110: return "110:" + str(f(n))
    elif n == 111: return "111:" + str(f(n))
    elif n == 112: return "112:" + str(f(n))
    elif n == 113: return "113:" + str(f(n))
    elif n == 114: return "114:" + str(f(n))
    elif n == 115: return "115:" + str(f(n))
    elif n == 116: return "116:" + str(f(n))
    elif n == 117: return "117:" + str(f(n))
    elif n == 118: return "118:" + str(f(n))
    elif n == 119: return "119:" + str(f(n))
    elif n == 120: return "120:" + str(f(n))
    elif n == 121: return "121:" + str(f(n))
    elif n == 122: return "122:" + str(f(n))
    elif n == 123: return "123:" + str(f(n))
    elif n == 124: return "124:" + str(f(n))
    elif n == 125: return "125:" + str(f(n))
    elif n == 126: return "126:" + str(f(n))
    elif n == 127: return "127:" + str(f(n))
    elif n == 128: return "128:" + str(f(n))
    elif n == 129: return "129:" + str(f(n))
    elif n == 130: return "130:" + str(f(n))
    elif n == 131: return "131:" + str(f(n))
    elif n == 132: return "132:" + str(f(n))
    elif n == 133: return "133:" + str(f(n))
    elif n == 134: return "134:" + str(f(n))
    elif n == 135: return "135:" + str(f(n))
    elif n == 136: return "136:" + str(f(n))
    elif n == 137: return "137:" + str(f(n))
    elif n == 138: return "138:" + str(f(n))
    elif n == 139: return "139:" + str(f(n))
    elif n == 140: return "140:" + str(f(n))
    elif n == 141: return "141:" + str(f(n))
    elif n == 142: return "142:" + str(f(n))
    elif n == 143: return "143:" + str(f(n))
    elif n == 144: return "144:" + str(f(n))
    elif n == 145: return "145:" + str(f(n))
    elif n == 146: return "146:" + str(f(n))
    elif n == 147: return "147:" + str(f(n))
    elif n == 148: return "148:" + str(f(n))
    elif n == 149: return "149:" + str(f(n))
    else: return "many"
print([grade(n) for n in (0, 1, 75, 149, 150)])
try: pass
except (KeyError, f and type("E0", (Exception,), {})): pass
except (KeyError, f and type("E1", (Exception,), {})): pass
except (KeyError, f and type("E2", (Exception,), {})): pass
except (KeyError, f and type("E3", (Exception,), {})): pass
except (KeyError, f and type("E4", (Exception,), {})): pass
except (KeyError, f and type("E5", (Exception,), {})): pass
except (KeyError, f and type("E6", (Exception,), {})): pass
except (KeyError, f and type("E7", (Exception,), {})): pass
except (KeyError, f and type("E8", (Exception,), {})): pass
except (KeyError, f and type("E9", (Exception,), {})): pass
except (KeyError, f and type("E10", (Exception,), {})): pass
except (KeyError, f and type("E11", (Exception,), {})): pass
except (KeyError, f and type("E12", (Exception,), {})): pass
except (KeyError, f and type("E13", (Exception,), {})): pass
except (KeyError, f and type("E14", (Exception,), {})): pass
except (KeyError, f and type("E15", (Exception,), {})): pass
except (KeyError, f and type("E16", (Exception,), {})): pass
except (KeyError, f and type("E17", (Exception,), {})): pass
except (KeyError, f and type("E18", (Exception,), {})): pass
except (KeyError, f and type("E19", (Exception,), {})): pass
except (KeyError, f and type("E20", (Exception,), {})): pass
except (KeyError, f and type("E21", (Exception,), {})): pass
except (KeyError, f and type("E22", (Exception,), {})): pass
except (KeyError, f and type("E23", (Exception,), {})): pass
except (KeyError, f and type("E24", (Exception,), {})): pass
except (KeyError, f and type("E25", (Exception,), {})): pass
except (KeyError, f and type("E26", (Exception,), {})): pass
except (KeyError, f and type("E27", (Exception,), {})): pass
except (KeyError, f and type("E28", (Exception,), {})): pass
except (KeyError, f and type("E29", (Exception,), {})): pass
except (KeyError, f and type("E30", (Exception,), {})): pass
except (KeyError, f and type("E31", (Exception,), {})): pass
except (KeyError, f and type("E32", (Exception,), {})): pass
except (KeyError, f and type("E33", (Exception,), {})): pass
except (KeyError, f and type("E34", (Exception,), {})): pass
except (KeyError, f and type("E35", (Exception,), {})): pass
except (KeyError, f and type("E36", (Exception,), {})): pass
except (KeyError, f and type("E37", (Exception,), {})): pass
except (KeyError, f and type("E38", (Exception,), {})): pass
except (KeyError, f and type("E39", (Exception,), {})): pass
except (KeyError, f and type("E40", (Exception,), {})): pass
except (KeyError, f and type("E41", (Exception,), {})): pass
except (KeyError, f and type("E42", (Exception,), {})): pass
except (KeyError, f and type("E43", (Exception,), {})): pass
except (KeyError, f and type("E44", (Exception,), {})): pass
except (KeyError, f and type("E45", (Exception,), {})): pass
except (KeyError, f and type("E46", (Exception,), {})): pass
except (KeyError, f and type("E47", (Exception,), {})): pass
except (KeyError, f and type("E48", (Exception,), {})): pass
except (KeyError, f and type("E49", (Exception,), {})): pass
except (KeyError, f and type("E50", (Exception,), {})): pass
except (KeyError, f and type("E51", (Exception,), {})): pass
except (KeyError, f and type("E52", (Exception,), {})): pass
except (KeyError, f and type("E53", (Exception,), {})): pass
except (KeyError, f and type("E54", (Exception,), {})): pass
except (KeyError, f and type("E55", (Exception,), {})): pass
except (KeyError, f and type("E56", (Exception,), {})): pass
except (KeyError, f and type("E57", (Exception,), {})): pass
except (KeyError, f and type("E58", (Exception,), {})): pass
except (KeyError, f and type("E59", (Exception,), {})): pass
else: print("no exception")
x = y0 = y1 = y2 = y3 = y4 = y5 = y6 = y7 = y8 = y9 = y10 = y11 = y12 = y13 = y14 = y15 = y16 = y17 = y18 = y19 = y20 = y21 = y22 = y23 = y24 = y25 = y26 = y27 = y28 = y29 = y30 = y31 = y32 = y33 = y34 = y35 = y36 = y37 = y38 = y39 = y40 = y41 = y42 = y43 = y44 = y45 = y46 = y47 = y48 = y49 = y50 = y51 = y52 = y53 = y54 = y55 = y56 = y57 = y58 = y59 = y60 = y61 = y62 = y63 = y64 = y65 = y66 = y67 = y68 = y69 = y70 = y71 = y72 = y73 = y74 = y75 = y76 = y77 = y78 = y79 = y80 = y81 = y82 = y83 = y84 = y85 = y86 = y87 = y88 = y89 = y90 = y91 = y92 = y93 = y94 = y95 = y96 = y97 = y98 = y99 = f(41); print(x, y99)
print(f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]) + f(a[0]))
print(a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or a[0] or "last")
print(a.copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy().copy(), a.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__.__class__)
def deep(n): return f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(a[n]))))))))))))))))))))))))))))))))))))))))
print(deep(0)); print(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(deep(7))))))))))))))))))))))))))))))))
