"""`surmise lsp` in a real editor."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess

FOLDER = pathlib.Path(__file__).parent


def test_neovim_shows_diagnostics_and_lenses(tmp_path: pathlib.Path):
    editor = shutil.which("nvim")
    assert editor, "`nvim` was not found: `./dev test --servers` leaves this file out where it cannot be installed"
    file, out = tmp_path / "snippet.py", tmp_path / "out.json"
    file.write_text("def ratio(sold):\n    return sold, 1 / 0\n")
    environment = {
        **os.environ,
        "SURMISE_FILE": str(file),
        "SURMISE_OUT": str(out),
        "XDG_STATE_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path),
    }
    script = ["--headless", "--clean", "-S", str(FOLDER / "neovim.lua")]
    subprocess.run([editor, *script], env=environment, check=True, stdin=subprocess.DEVNULL)
    told = json.loads(out.read_text())
    assert told["diagnostics"] == [{"line": 1, "column": 17, "severity": 1, "code": "ZeroDivisionError"}]
    assert told["lenses"] == ["1 of 1 line reached, 1 error"]
