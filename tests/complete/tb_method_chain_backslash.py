"""Uncaught: a chain continued by backslashes, attribute missing half way."""

text = "  Alpha,Beta;Gamma  "
parts = text \
    .strip() \
    .replace(";", ",") \
    .split(",")
print(parts, "-".join(parts) \
      .lower())


def process(value):
    return value \
        .strip() \
        .lower() \
        .splitt(",") \
        .count("a")


print(
    process
    (text)
)
