for node in self.nodes:
    if node.name == name:
        exit(node)
    node.touch()
exit(None)
