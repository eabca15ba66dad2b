"""Uncaught: the failing line is indented by tabs and holds tabs inside."""


def outer(data):
	result = []
	for key in data:
		if key:
			result.append(	data[key]	+	data[	'missing'	] +	1)
		else:	result.append(0)
	return	result


print(outer({"": 1}))
print(outer({'a': 2}))
