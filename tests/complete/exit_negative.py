"""A negative code."""
raise SystemExit(len("abc") - 4)
