"""Files with settings: the functions heed those that the command heeds."""

import json
import os
import subprocess

import pytest
import surmise

SOURCE = "def f(n):\n    if n:\n        return 1\n    return 2\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose settings ask for a single run of each program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "surmise.toml").write_text("runs = 1\n")
    (tmp_path / "b.py").write_text(SOURCE)
    (tmp_path / "other.toml").write_text("runs = 4\n")
    return tmp_path


def test_the_nearest_file_counts_as_for_the_command(project, tmp_path_factory, monkeypatch):
    ended = subprocess.run(
        [os.environ["SURMISE_BINARY"], "run", "--json", "b.py"], cwd=project, capture_output=True, check=True
    )
    assert surmise.run("b.py").runs == json.loads(ended.stdout)["runs"] == 1
    assert surmise.run(SOURCE).runs == 1, "text lies in the working folder"
    assert surmise.run("b.py", settings=False).runs > 1
    four, all_runs = (surmise.run("b.py", runs=most, settings=False).runs for most in (4, 64))
    assert 1 < four < all_runs
    assert surmise.run("b.py", settings=project / "other.toml").runs == four
    assert surmise.run("b.py", runs=4).runs == four, "arguments go first"
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert surmise.run(SOURCE).runs > 1
    assert surmise.run(project / "b.py").runs == 1, "the folders above the file are searched"
    (project / "home" / "surmise").mkdir(parents=True)
    (project / "home" / "surmise" / "surmise.toml").write_text("runs = 4\n")
    assert surmise.run(SOURCE).runs == four, "the user's file is the last resort"


def test_functions_that_start_the_command(project):
    runs = [file.to_dict()["runs"] for file in surmise.cover("b.py").files]
    assert runs == [1]
    assert [file.to_dict()["runs"] for file in surmise.cover("b.py", settings=False).files] > runs
    changed = SOURCE.replace("return 2", "return 3")
    # One run decides nothing about a branch that it does not take.
    of_text = surmise.diff(SOURCE, changed).functions
    (project / "c.py").write_text(changed)
    of_files = surmise.diff("b.py", "c.py").functions
    assert [function.to_dict()["runs"] for function in (*of_text, *of_files)] == [1, 1]


def test_predict_reads_settings(project):
    (project / "surmise.toml").write_text("[run]\npredictor = 'naive'\n")
    assert surmise.predict("x.y\n") == surmise.predict("x.y\n", predictor="naive", settings=False)
    assert surmise.predict("x.y\n") != surmise.predict("x.y\n", settings=False)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("runz = 1\n", "surmise.toml:1:1: `runz` is no option of any command"),
        ("[run]\nruns = 'many'\n", "invalid value 'many'"),
    ],
)
def test_wrong_settings_are_named_with_their_place(project, text, part):
    (project / "surmise.toml").write_text(text)
    for ask in (surmise.run, surmise.predict):
        with pytest.raises(surmise.UsageError) as raised:
            ask("b.py")
        assert part in str(raised.value)
    assert surmise.run("b.py", settings=False).outcome == "completed"


@pytest.mark.parametrize("settings", [None, 1, b"x", ["surmise.toml"]])
def test_other_values_are_refused(project, settings):
    with pytest.raises(surmise.UsageError, match="settings must be True, False or the path of a file"):
        surmise.run("b.py", settings=settings)


def test_a_missing_file_is_an_error(project):
    with pytest.raises(surmise.UsageError, match="absent.toml"):
        surmise.run("b.py", settings="absent.toml")
