"""`surmise.run`: the same answers as the command, as typed values."""

import dataclasses
import json
import os
import pathlib
import pickle
import subprocess

import pytest
import surmise

ROOT = pathlib.Path(__file__).parents[2]
BINARY = os.environ["SURMISE_BINARY"]
# Development data, which are not part of the project; some of them, evenly spread.
DATA = ROOT.parent / "shared" / "datasets" / "so_snippets.jsonl"
SAMPLE = 20
FAULTY = "import warehouse\nprint(warehouse.name)\n'a' + 1\n"


def snippets():
    found = {path.name: path.read_text() for path in (ROOT / "docs").glob("*.py")}
    if DATA.exists():
        records = DATA.read_text().splitlines()
        for line in records[:: len(records) // SAMPLE]:
            record = json.loads(line)
            found[str(record["id"])] = record["code"]
    return found


SNIPPETS = snippets()


def without_times(document):
    document = json.loads(json.dumps(document))
    del document["time_ms"]
    return document


def command(options, source):
    """The JSON document of the command."""
    arguments = [BINARY, "run", "--json", *options, "-"]
    ended = subprocess.run(arguments, input=source, capture_output=True, encoding="utf-8", check=False, cwd=ROOT)
    assert ended.returncode in (0, 1), ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("name", sorted(SNIPPETS))
def test_answers_are_those_of_the_command(name):
    result = surmise.run(SNIPPETS[name], runs=8, name="<stdin>")
    own, other = without_times(result.to_dict()), without_times(command(["--runs", "8"], SNIPPETS[name]))
    # The package is built without optimization, or for another machine: what the values are is the same.
    for key in ("runtime", "model"):
        assert own.pop(key) == other.pop(key)
    assert own == other


def test_result_is_typed_and_frozen():
    result = surmise.run(FAULTY, runs=4)
    assert (result.outcome, result.exit_code) == ("error", 1)
    assert result.lines == (1, 2, 3) == result.covered_lines
    assert result.missed_lines == () and result.coverage == 1.0
    (error,) = result.errors
    assert error.verdict is surmise.Verdict.CERTAIN and error in result.certain_errors
    assert (error.type, error.line) == ("TypeError", 3) and "line 3: TypeError" in str(error)
    assert {"warehouse", "name"} <= {injection.name for injection in result.injections}
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.outcome = "completed"
    assert "TypeError" in repr(result) and "3 of 3 lines" in repr(result)
    assert "✓ 3 │ 'a' + 1" in str(result) and "certain" in str(result)


def test_html_is_the_page_in_a_frame(tmp_path):
    result = surmise.run(FAULTY, runs=1)
    shown = result._repr_html_()
    assert shown.startswith("<iframe sandbox=") and "srcdoc=" in shown and shown.count('"') % 2 == 0
    result.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.lower().startswith("<!doctype html>") and "warehouse" in page


def test_documents_are_copies():
    result = surmise.run("x = y\n", runs=1)
    result.to_dict()["injections"].clear()
    assert result.to_dict()["injections"]


def test_results_can_be_pickled():
    result = surmise.run(FAULTY, runs=2)
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result and str(copy) == str(result) and copy._repr_html_() == result._repr_html_()


def test_files_and_functions(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("class C:\n    def m(self, a):\n        return a.b\n\ndef f():\n    return undefined\n")
    assert surmise.run(file, runs=2).file == str(file)
    assert surmise.run(str(file), runs=2).file == str(file)
    result = surmise.run(file, function="C.m", runs=2)
    assert 3 in result.covered_lines and 6 not in result.covered_lines


def test_options_reach_the_run():
    assert surmise.run("print(input())", stdin="some text", runs=1).stdout == "some text\n"
    assert surmise.run("print(input())", stdin=b"bytes", runs=1).stdout == "bytes\n"
    assert surmise.run("import sys\nprint(sys.argv[1:])", args=["-a", "b"], runs=1).stdout == "['-a', 'b']\n"
    assert surmise.run("x = y.z\n" * 3, runs=1, predictor="none").outcome == "error"
    assert surmise.run("while True: pass\n", runs=1, timeout=0.2, time=0.3).outcome == "timeout"


def test_syntax_errors_are_results():
    result = surmise.run("def f(:\n", predictor="none")
    assert result.outcome == "syntax-error" and result.error.line == 1


@pytest.mark.parametrize(
    ("arguments", "options", "part"),
    [
        ((3,), {}, "must be text or a path, not a value of type int"),
        ((b"x = 1",), {}, "not a value of type bytes"),
        (("x\0",), {}, "NUL"),
        ((pathlib.Path("/no/such/file.py"),), {}, "cannot read `/no/such/file.py`"),
        ((pathlib.Path("/tmp"),), {}, "is a directory"),
        (("x = 1",), {"runs": 0}, "--runs"),
        (("x = 1",), {"runs": "3"}, "runs must be an integer"),
        (("x = 1",), {"runs": True}, "runs must be an integer"),
        (("x = 1",), {"time": "1"}, "time must be a number"),
        (("x = 1",), {"alone": 1}, "alone must be True or False"),
        (("x = 1",), {"drive": None}, "drive must be True or False"),
        (("x = 1",), {"predictor": "best"}, "--predictor"),
        (("x = 1",), {"python": "/no/such/environment"}, "/no/such/environment"),
        (("x = 1",), {"python_path": 5}, "python_path must be a sequence"),
        (("x = 1",), {"args": 5}, "args must be a sequence"),
        (("x = 1",), {"stdin": 5}, "stdin must be a path"),
        (("x = 1",), {"memory": "much"}, "--memory"),
        (("x = 1",), {"function": "f"}, "`f`"),
        (("x = 1",), {"body": True}, "--function"),
        (("x = 1",), {"name": ""}, "name must be text"),
    ],
)
def test_bad_arguments_are_named(arguments, options, part):
    with pytest.raises(surmise.UsageError) as caught:
        surmise.run(*arguments, **options)
    assert part in str(caught.value)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, surmise.SurmiseError)


def test_hints_say_what_is_possible():
    with pytest.raises(surmise.UsageError) as caught:
        surmise.run("x = 1", predictor="best")
    assert "naive" in caught.value.hint and "frequency" in caught.value.hint


def test_a_path_without_a_file_is_no_code(tmp_path):
    with pytest.raises(surmise.UsageError, match="there is no such file"):
        surmise.run(str(tmp_path / "nothere.py"))
    assert surmise.run("nothere.py\n", runs=1, settings=False).outcome == "completed"
