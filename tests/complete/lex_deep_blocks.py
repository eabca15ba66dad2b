"""20 nested loops and with blocks, the most CPython allows; 98 levels of indentation."""
total = 0
for v0 in (1,):
 for v1 in (1,):
  for v2 in (1,):
   for v3 in (1,):
    for v4 in (1,):
     for v5 in (1,):
      for v6 in (1,):
       for v7 in (1,):
        for v8 in (1,):
         for v9 in (1,):
          for v10 in (1,):
           for v11 in (1,):
            for v12 in (1,):
             for v13 in (1,):
              for v14 in (1,):
               for v15 in (1,):
                for v16 in (1,):
                 for v17 in (1,):
                  for v18 in (1,):
                   for v19 in (1,):
                    total += v19; print("inside 20 loops", total)
def f():
 out = []
 for q in [out]:
  while True:
   try:
    for q in [out]:
     while True:
      try:
       for q in [out]:
        while True:
         try:
          for q in [out]:
           while True:
            try:
             for q in [out]:
              while True:
               try:
                for q in [out]:
                 while True:
                  try:
                   for q in [out]:
                    out.append(len(out)); print("mixed", out); raise KeyError(out)
                  finally:
                   out.append(17)
               finally:
                out.append(14)
            finally:
             out.append(11)
         finally:
          out.append(8)
      finally:
       out.append(5)
   finally:
    out.append(2)

try: f()
except KeyError as e: print("escaped", e)
def g(x):
 if x > 0:
  if x != -1:
   if x > 2:
    if x != -3:
     if x > 4:
      if x != -5:
       if x > 6:
        if x != -7:
         if x > 8:
          if x != -9:
           if x > 10:
            if x != -11:
             if x > 12:
              if x != -13:
               if x > 14:
                if x != -15:
                 if x > 16:
                  if x != -17:
                   if x > 18:
                    if x != -19:
                     if x > 20:
                      if x != -21:
                       if x > 22:
                        if x != -23:
                         if x > 24:
                          if x != -25:
                           if x > 26:
                            if x != -27:
                             if x > 28:
                              if x != -29:
                               if x > 30:
                                if x != -31:
                                 if x > 32:
                                  if x != -33:
                                   if x > 34:
                                    if x != -35:
                                     if x > 36:
                                      if x != -37:
                                       if x > 38:
                                        if x != -39:
                                         if x > 40:
                                          if x != -41:
                                           if x > 42:
                                            if x != -43:
                                             if x > 44:
                                              if x != -45:
                                               if x > 46:
                                                if x != -47:
                                                 if x > 48:
                                                  if x != -49:
                                                   if x > 50:
                                                    if x != -51:
                                                     if x > 52:
                                                      if x != -53:
                                                       if x > 54:
                                                        if x != -55:
                                                         if x > 56:
                                                          if x != -57:
                                                           if x > 58:
                                                            if x != -59:
                                                             if x > 60:
                                                              if x != -61:
                                                               if x > 62:
                                                                if x != -63:
                                                                 if x > 64:
                                                                  if x != -65:
                                                                   if x > 66:
                                                                    if x != -67:
                                                                     if x > 68:
                                                                      if x != -69:
                                                                       if x > 70:
                                                                        if x != -71:
                                                                         if x > 72:
                                                                          if x != -73:
                                                                           if x > 74:
                                                                            if x != -75:
                                                                             if x > 76:
                                                                              if x != -77:
                                                                               if x > 78:
                                                                                if x != -79:
                                                                                 if x > 80:
                                                                                  if x != -81:
                                                                                   if x > 82:
                                                                                    if x != -83:
                                                                                     if x > 84:
                                                                                      if x != -85:
                                                                                       if x > 86:
                                                                                        if x != -87:
                                                                                         if x > 88:
                                                                                          if x != -89:
                                                                                           if x > 90:
                                                                                            if x != -91:
                                                                                             if x > 92:
                                                                                              if x != -93:
                                                                                               if x > 94:
                                                                                                if x != -95:
                                                                                                 if x > 96:
                                                                                                  return x / (x - 500)
                                                                                                 else: return 96
                                                                                               else: return 94
                                                                                             else: return 92
                                                                                           else: return 90
                                                                                         else: return 88
                                                                                       else: return 86
                                                                                     else: return 84
                                                                                   else: return 82
                                                                                 else: return 80
                                                                               else: return 78
                                                                             else: return 76
                                                                           else: return 74
                                                                         else: return 72
                                                                       else: return 70
                                                                     else: return 68
                                                                   else: return 66
                                                                 else: return 64
                                                               else: return 62
                                                             else: return 60
                                                           else: return 58
                                                         else: return 56
                                                       else: return 54
                                                     else: return 52
                                                   else: return 50
                                                 else: return 48
                                               else: return 46
                                             else: return 44
                                           else: return 42
                                         else: return 40
                                       else: return 38
                                     else: return 36
                                   else: return 34
                                 else: return 32
                               else: return 30
                             else: return 28
                           else: return 26
                         else: return 24
                       else: return 22
                     else: return 20
                   else: return 18
                 else: return 16
               else: return 14
             else: return 12
           else: return 10
         else: return 8
       else: return 6
     else: return 4
   else: return 2
 else: return 0
print(g(200), [g(k) for k in (0, 10, 50, 95, 97)])
def h():
 def h0(a0=0):
  def h1(a1=1):
   def h2(a2=2):
    def h3(a3=3):
     def h4(a4=4):
      def h5(a5=5):
       def h6(a6=6):
        def h7(a7=7):
         def h8(a8=8):
          def h9(a9=9):
           def h10(a10=10):
            def h11(a11=11):
             def h12(a12=12):
              def h13(a13=13):
               def h14(a14=14):
                def h15(a15=15):
                 def h16(a16=16):
                  def h17(a17=17):
                   def h18(a18=18):
                    def h19(a19=19):
                     def h20(a20=20):
                      def h21(a21=21):
                       def h22(a22=22):
                        def h23(a23=23):
                         def h24(a24=24):
                          def h25(a25=25):
                           def h26(a26=26):
                            def h27(a27=27):
                             def h28(a28=28):
                              def h29(a29=29):
                               return a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29
                              return h29()
                             return h28()
                            return h27()
                           return h26()
                          return h25()
                         return h24()
                        return h23()
                       return h22()
                      return h21()
                     return h20()
                    return h19()
                   return h18()
                  return h17()
                 return h16()
                return h15()
               return h14()
              return h13()
             return h12()
            return h11()
           return h10()
          return h9()
         return h8()
        return h7()
       return h6()
      return h5()
     return h4()
    return h3()
   return h2()
  return h1()
 return h0()
print(h())
class K0:
 class K1:
  class K2:
   class K3:
    class K4:
     class K5:
      class K6:
       class K7:
        class K8:
         class K9:
          class K10:
           class K11:
            class K12:
             class K13:
              class K14:
               class K15:
                class K16:
                 class K17:
                  class K18:
                   class K19:
                    class K20:
                     class K21:
                      class K22:
                       class K23:
                        class K24:
                         x = __qualname__.count("K")
k = K0
for i in range(1, 25): k = getattr(k, f"K{i}")
print(k.x, k.__qualname__[-12:])
print(g(500))
