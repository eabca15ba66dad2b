def count_words(text):
    for word in text.split():
        if len(word) > 2:
            counter += 1
    return counter

result = count_words("the quick brown fox is it")
print("ok")
