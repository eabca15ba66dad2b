a = int(input())
b = input()
print(a + 1, b)
