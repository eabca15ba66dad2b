class Leaf:
    pass

def kind(node):
    if isinstance(node, TreeNode):
        return "tree"
    if isinstance(node, (str, RawText)):
        return "text"
    return "other"

k = kind(Leaf())
issubclass(Leaf, Visitor)
print(isinstance("a", (str, Blob)), type(k).__name__)
