"""Whitespace in odd places."""   
x   =   [ 1 ,2 , 3 ]   
   
print ( x [ 0 ] , x . count ( 1 ) , x  [ 1 : ] )  ;  
def   f  ( a , * b , c = 1 , ** d )  :   return  a+b [0]*c  
   # odd comment   
print(f  (1, 2, c=   3), f   . __name__ , (  )  , [   ] , {   } )   
if  x  :   
      print   (   "six spaces"   )   
      if x[0]==1:print("nospace");y=-1;z=not y;print(z,y)
      else :
       print("one more")
class  A  (  object  )  :
 one = 1
 def  m ( self ) : return self . one
print(A ( ) . m ( ), A  .  one , 1 if x else 2)
print(x[-1],x [-1]if x else[],[*x,*x][1:2],{**{}},not(x),-(-1),+1,~ 1,(lambda:0)(),(lambda * a:a)(1))
for(i)in(x):print(i,end=' ')
while(x):x.pop()
print(x,"a"if x else"b","a"in"abc",(2)or(2),"%s"%3,[i for(i)in(1,2)if(i)>1],end="\n\n")
assert(not x);del(x);print(*[1,2],sep='')
import os . path as  p
from   os   import   ( sep  as  s , ) 
print(p . join ( 'a' , 'b' ), s)
y=5;print(1 .real, 1.0.real, 1..real, 1e0.real, 1_0 .real, "x".upper().lower(), [].append(1), {}.get(1)); print((  y
  ) . bit_length
  ( ) )
with(open("/dev/null"))as(q):print(q.name)
try:raise(ValueError)
except(ValueError)as e:print(repr(e))
return_=1;print(return_);print(undefined  .  attr)   
