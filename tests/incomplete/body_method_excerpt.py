def add_child(self, child):
    child.parent = self
    self.children.append(child)
    self.size += child.size + 1
    return len([1, 2])

print(add_child(tree_root, make_node("leaf")))
