"""warnings.warn with stacklevel, filters, custom categories, showwarning."""
import sys
import warnings


class ApiWarning(UserWarning):
    pass


def old_api(level=1, msg="old api"):
    warnings.warn(msg, ApiWarning, stacklevel=level)
    return level


def caller(): return old_api(2)


class Legacy:
    def __init__(self):
        warnings.warn("Legacy is deprecated", DeprecationWarning, stacklevel=2)

    @property
    def prop(self):
        warnings.warn("prop is old", FutureWarning, stacklevel=2)
        return 1


print(old_api())
caller()
old_api(
    3 - 1,
    msg="multi-line call",
)
Legacy()
Legacy().prop
for i in range(3):
    old_api(2, "in a loop: shown once")
for i in range(2): warnings.warn(f"different {i}")
[warnings.warn("in comprehension", stacklevel=1) for _ in range(2)]
(lambda: old_api(2, "from lambda"))()
with warnings.catch_warnings(record=True) as got:
    warnings.simplefilter("always")
    caller(); old_api(2, "recorded")
    warnings.warn("with source", ResourceWarning)
print([(w.category.__name__, str(w.message), w.lineno) for w in got])
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ApiWarning)
    old_api(1, "ignored")
    warnings.simplefilter("error")
    try:
        old_api(2, "now an error")
    except ApiWarning as e:
        print("raised", e, e.__traceback__.tb_lineno)


def show(message, category, filename, lineno, file=None, line=None):
    print("SHOW", category.__name__, message, lineno, file=sys.stderr)


warnings.showwarning, saved = show, warnings.showwarning
warnings.warn("custom show")
warnings.showwarning = saved
warnings.formatwarning = lambda m, c, f, l, line=None: f"{c.__name__}@{l}: {m}\n"
warnings.warn("custom format", RuntimeWarning)
warnings.warn_explicit("explicit", UserWarning, "made_up.py", 99)
print(__warningregistry__.get("version") is not None, old_api(5, "beyond the stack"))
