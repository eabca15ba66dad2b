class Settings(AttrMixin, dict):
    def load(self, **values):
        self.update(values)
        return sorted(self.keys())

s = Settings()
print(s.load(debug=True, port=80))
print(s["port"])
