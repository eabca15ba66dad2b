class Crawler(Spider):
    def __init__(self, start, *args, **kwargs):
        super(Crawler, self).__init__(*args, **kwargs)
        self.start = start

class Deep(Crawler):
    def __init__(self, start, depth):
        Crawler.__init__(self, start, depth=depth)
        Spider.__init__(self)
        self.depth = depth

d = Deep("http://example.org", 3)
print(d.start, d.depth)
