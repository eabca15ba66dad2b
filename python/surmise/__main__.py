"""The `surmise` command of the package, also as `python -m surmise`."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line of this process, and ends it."""
    # The command has handlers of its own where it needs them; Python's would wait until it has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from surmise import _surmise

    sys.exit(_surmise.command(["surmise", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
