super().__init__("name", **options, colour="red")
super(Widget, self).__init__(size=3)
self.options = options
print(self.options is options)
