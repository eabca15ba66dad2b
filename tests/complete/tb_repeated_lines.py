"""Uncaught: 'Previous line repeated' with a real error at the bottom."""


def walk(tree, path=()):
    node, *children = tree
    if not children:
        return node["leaf"]
    return walk(children[0], path + (node,))


def nest(depth, leaf):
    tree = [leaf]
    for i in range(depth):
        tree = [i, tree]
    return tree


print(walk(nest(5, {"leaf": "ok"})))
print(walk(nest(12, {"twig": "bad"})))
