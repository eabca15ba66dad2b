class Config:
    DEBUG = env.bool("DEBUG", default=False)
    ROOT = BASE_DIR / "static"
    APPS = ["core", "blog"] + EXTRA_APPS
    PORT = 8000
    URL = "http://localhost:%d" % PORT

    def url(self):
        return self.URL

print(Config().url())
