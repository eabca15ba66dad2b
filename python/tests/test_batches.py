"""Programs of batches, and what their modules say where an engine is missing."""

import json
import subprocess
import sys

import pytest
import surmise
from surmise.batches import COLUMNS, checked, results


def test_rows_are_what_the_runs_come_to():
    columns = results(["print('a' + 1)", 3, "x\n"], {"runs": 2, "settings": False})
    assert list(columns) == list(COLUMNS)
    assert columns["outcome"] == ["error", "refused", "completed"]
    assert (columns["error"][0], columns["error_line"][0], columns["verdict"][0]) == ("TypeError", 1, "certain")
    assert columns["problem"] == [None, "the program is a value of type int, not text", None]
    assert json.loads(columns["document"][2])["schema"] == "surmise.run/1"
    assert columns["document"][1] is None


def test_text_is_never_a_path(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("raise ValueError\n")
    monkeypatch.chdir(tmp_path)
    columns = results(["a.py"], {"runs": 1, "settings": False})
    assert columns["error"] == [None]


@pytest.mark.parametrize("name", ["stdin", "args", "name", "runz"])
def test_options_of_single_programs_are_refused(name):
    with pytest.raises(surmise.UsageError, match=f"`{name}` is no option of a batch"):
        checked({name: 1})


def test_without_ray_there_is_a_clear_error():
    code = (
        "import sys\nsys.modules['ray'] = None\nimport surmise, surmise.ray\n"
        "try:\n    surmise.ray.run(None)\nexcept surmise.UsageError as error:\n    print(error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert "`ray` is not installed" in ended.stdout and 'pip install "ray[data]"' in ended.stdout, ended
