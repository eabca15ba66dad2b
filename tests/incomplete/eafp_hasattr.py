class Page:
    def body(self):
        if not hasattr(self, "_cache"):
            self._cache = render(self)
            return "fresh"
        return "cached"

p = Page()
print(p.body(), p.body())
print(hasattr("text", "decode"), getattr(p, "colour", "none"))
