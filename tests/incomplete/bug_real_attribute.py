stack = []
stack.append(first_job)
stack.push(1)
print(stack)
