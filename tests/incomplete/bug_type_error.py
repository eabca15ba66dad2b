def describe(count, extra):
    return "count: " + count

print(describe(3, extra_info))
