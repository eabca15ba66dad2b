"""`cover`, `diff` and `predict`."""

import subprocess

import pytest
import surmise


def test_predict_ranks_classes_of_a_place():
    (place,) = surmise.predict("total = price * count\nfor item in items:\n    pass\n", name="items")
    assert (place.line, place.column, place.kind) == (2, 12, "variable")
    probabilities = [entry.probability for entry in place.classes]
    assert probabilities == sorted(probabilities, reverse=True) and 0 < sum(probabilities) <= 1.001
    assert place.classes[0].name == "list"
    assert place.to_dict()["classes"][0] == {"name": "list", "probability": probabilities[0]}


def test_predict_selects_places():
    code = "a = b.c\nd = b.e\n"
    assert [place.name for place in surmise.predict(code)] == ["b", "c", "b", "e"]
    assert [place.name for place in surmise.predict(code, line=2)] == ["b", "e"]
    assert surmise.predict(code, line=9) == []
    assert [place.column for place in surmise.predict("é = ünbekannt\n")] == [4]
    with pytest.raises(surmise.UsageError):
        surmise.predict(code, line="1")


def test_diff_of_texts_and_files(tmp_path):
    old, new = "def f(a):\n    return a + 1\n", "def f(a):\n    return a + 2\n"
    comparison = surmise.diff(old, new)
    (function,) = comparison.different
    assert (function.name, function.verdict, function.witness.kind) == ("f", "different", "return")
    assert "1 different" in repr(comparison) and "f different" in str(function)
    (tmp_path / "old.py").write_text(old)
    (tmp_path / "new.py").write_text("def f(b):\n    return b + 1\n")
    assert surmise.diff(tmp_path / "old.py", tmp_path / "new.py").different == ()
    assert comparison.to_dict()["functions"][0]["schema"] == "surmise.diff/1"


def test_diff_of_a_repository(tmp_path):
    def git(*arguments):
        options = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *options, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for number in (1, 2):
        (tmp_path / "m.py").write_text(f"def f(a):\n    return a + {number}\n")
        git("add", ".")
        git("commit", "-qm", str(number))
    assert [function.name for function in surmise.diff("HEAD~1", "HEAD", repo=tmp_path).different] == ["m.py::f"]
    with pytest.raises(surmise.UsageError, match="no-such-revision"):
        surmise.diff("no-such-revision", "HEAD", repo=tmp_path)


def test_cover(tmp_path):
    (tmp_path / "a.py").write_text("x = undefined\nif x:\n    y = 1\nelse:\n    y = 2\n")
    (tmp_path / "b.py").write_text("raise ValueError('always')\n")
    coverage = surmise.cover(tmp_path, runs=8)
    assert (coverage.lines_total, coverage.lines_covered, coverage.fully_covered) == (5, 5, 2)
    assert [file.outcome for file in coverage.files] == ["completed", "error"]
    assert coverage.files[1].errors[0].verdict is surmise.Verdict.CERTAIN
    assert "5 of 5 lines" in repr(coverage) and len(coverage.to_dict()["files"]) == 2
    # The document of a file whose runs ended the worker process.
    failed = {"schema": "surmise.cover/1", "file": "c.py", "predictor": "model", "failure": "the worker was killed"}
    unusable = surmise.Coverage._of([failed, coverage.to_dict()]).files[0]
    assert (unusable.outcome, unusable.coverage, "failure" in unusable.to_dict()) == ("unusable", 0.0, True)
    with pytest.raises(surmise.UsageError, match="no-such-folder"):
        surmise.cover(tmp_path / "no-such-folder")
    with pytest.raises(surmise.UsageError):
        surmise.cover(7)
