vowels = "aeiou"
count = 0
if letter in vowels:
    count += 1
print("checked")
