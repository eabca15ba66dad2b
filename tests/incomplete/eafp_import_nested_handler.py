try:
    from .speedups import escape
except ImportError:
    from pure_escape import escape

safe = escape("<b>")
print("escaped")
