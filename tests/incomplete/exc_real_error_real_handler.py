try:
    number = int("12b")
except ValueError:
    print("not a number")
except ConversionError:
    print("conversion")
print(default_number is default_number)
