log.info("start")
numbers = []
mean = sum(numbers) / len(numbers)
print(mean)
