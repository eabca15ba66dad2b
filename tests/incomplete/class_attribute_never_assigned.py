class Job:
    def __init__(self, name):
        self.name = name

    def run(self):
        self.logger.info("start %s", self.name)
        data = self.fetch_rows()
        return self.name

print(Job("nightly").run())
