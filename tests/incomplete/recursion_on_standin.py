def depth(node, level=0):
    if level > 3:
        return level
    return max([depth(c, level + 1) for c in node.children] or [level])

depth(root)
print("walked")
