"""Uncaught: caret ranges of subscripts, chained and nested."""

tree = {
    "root": {"left": {"value": 1}, "right": None},
    "index": [[1, 2], [3, 4]],
}


def lookup(data, *path):
    for key in path:
        data = data[key]
    return data


print(lookup(tree, "root", "left", "value"))
print(tree["index"][1][0] + tree["index"][0][tree["index"][0][0]])
total = tree["index"][1][1] + tree["root"]["left"]["value"] + tree["root"]["right"]["value"]
print("unreachable", total)
