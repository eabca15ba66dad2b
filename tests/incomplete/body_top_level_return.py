result = {}
for key in self.fields:
    result[key] = self.clean(key)
print("cleaned")
return result
never_read
