"""Uncaught: a call spread over lines; an argument in the middle fails."""


def build(name, *parts, **options):
    print("building", name, parts, sorted(options))
    return name


settings = {"width": 10, "depth": 2}

build(
    "first",
    settings["width"],
    settings.get("height", 3),
    depth=settings["depth"],
)
build(
    "second",
    settings["width"] // settings["depth"],
    build(
        "inner",
        *[
            settings[key]
            for key in ("width", "depth", "height")
        ],
    ),
    depth=settings["depth"],
)
