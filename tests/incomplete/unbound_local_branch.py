def label(flag):
    if flag:
        text = "on"
    return text

print(label(True))
label(False)
print("end")
