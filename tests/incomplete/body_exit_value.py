leaf.prefix = ""
name = leaf.type.lower()
exit(self.visit_default(leaf))
print("after")
