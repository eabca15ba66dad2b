text = "abcdefghij"
head = document[:100]
tail = document[-5:]
step = samples[offset:offset + 10:2]
piece = text[begin:end]
print(text[2:4])
