"""Tabs for indentation, tabs between tokens, tab width mixes that are legal."""
class	T:
	def	m(self,	a,	b = 2):
		if	a	>	b:
			return	a
		else:
			for	i	in	range(3):
				if i == b:	break
			return	i	+	a
	x	=	1	;	y	=	2
def spaces_in_one(n):
  if n:
      return "six"
  return "two"
def tabs_and_spaces(n):
        if n:
        	return "eight plus tab"
        return "eight"
if True:
	print(T().m(1),	T().m(5),	T.x	+	T.y)
	if False:
		pass
	elif	True:
		# comment
  # odd comment

		print("elif",	spaces_in_one(1),	spaces_in_one(0))
print(tabs_and_spaces(1), tabs_and_spaces(0), "tab	in string", '''tab
	in triple''')
lst = [
	1,
    	2,
]
print(lst)	# comment	with tabs
try:
	print(	lst[0],	lst[1],	lst[2]	)
except IndexError as	e:
	print(e,	e.__traceback__.tb_lineno)
for	q	in	lst:	print(q)
lambda	x:	x;	not	lst;	lst	and	[]
	
  	
while lst: lst.pop();	print(len(lst))
print(	lst	[	0	]	)
