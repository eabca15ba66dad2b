head, *tail = tokens
*init, last = tokens
first, (second, *others), third = parsed
print(isinstance(tail, list), isinstance(init, list), isinstance(others, list))
