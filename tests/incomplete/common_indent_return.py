        value = self.data[key]
        if value is None:
            raise KeyError(key)
        print("present")
        return value
