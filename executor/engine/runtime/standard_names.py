"""Lists what modules of the standard library have, and their submodules, as a Rust table; run by `build.rs`.

The modules are those that snippets use without the import. Names that often mean something else (`code`, `token`,
`test`) are not among them.
"""

import importlib
import json
import pkgutil
import sys
import warnings

MODULES = """
abc argparse array ast asyncio base64 binascii bisect bz2 calendar cmath codecs collections colorsys concurrent
configparser contextlib copy csv ctypes dataclasses datetime decimal difflib dis email enum errno fnmatch fractions
ftplib functools gc getopt getpass glob gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json
keyword linecache locale logging math mimetypes multiprocessing numbers operator optparse os pathlib pickle pkgutil
platform posixpath pprint queue random re sched secrets select shelve shlex shutil signal smtplib socket sqlite3 ssl
stat statistics string struct subprocess sys tarfile tempfile textwrap threading time timeit tokenize traceback types
typing unicodedata unittest urllib uuid warnings weakref xml zipfile zlib
"""


def row(name):
    """A module, its attributes, its submodules."""
    module = importlib.import_module(name)
    inside = {found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    inside = {found for found in inside if found.isidentifier() and not found.startswith("_")} - {"test"}
    return f"    ({json.dumps(name)}, {listed(set(dir(module)) - inside)}, {listed(inside)}),\n"


def listed(names):
    return "&[" + ", ".join(json.dumps(name) for name in sorted(names)) + "]"


def main(target):
    warnings.simplefilter("ignore")
    rows = []
    for name in sorted(MODULES.split()):
        try:
            rows.append(row(name))
        except Exception:  # built without it
            continue
    with open(target, "w", encoding="utf-8") as file:
        file.write("[\n" + "".join(rows) + "]\n")


main(sys.argv[1])
