"""Recording: the context manager, and the plugin for pytest."""

import json
import os
import subprocess
import sys

import pytest

PACKAGE = {
    "shop/__init__.py": "from shop.prices import total\n",
    "shop/prices.py": "def total(items):\n    tax = 2\n    return sum(item['price'] for item in items) + tax\n",
    "tests/conftest.py": "import shop\n",
    "tests/test_shop.py": (
        "import shop, pytest\n"
        "@pytest.mark.parametrize('n', range(6))\n"
        "def test_total(n):\n    assert shop.total([{'price': n}]) == n + 2\n"
        "def test_fails():\n    assert shop.total([]) == 3\n"
        "@pytest.mark.skip\ndef test_skipped():\n    pass\n"
    ),
}


@pytest.fixture
def project(tmp_path):
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def python(project, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTHONPATH"] = str(project)
    return subprocess.run(
        [sys.executable, *arguments], cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def summary(project, folder="out"):
    return json.loads((project / folder / "trace.json").read_text())


def test_block_is_recorded(project):
    source = """
import os, subprocess, sys, warnings, surmise
warnings.simplefilter("error")
before = dict(os.environ)
with surmise.trace("out", package="shop") as recording:
    import shop
    shop.total([{"price": 4}])
    subprocess.run([sys.executable, "-c", "import shop; shop.total([])"], check=True)
assert dict(os.environ) == before
assert recording.summary["processes"] == 2, recording.summary
events = recording.finish()["events"]
shop.total([{"price": 4}] * 100)
print(repr(recording))
try:
    surmise.trace("other", package="shop")
except Exception as error:
    print(type(error).__name__, error)
"""
    ended = python(project, "-c", source)
    assert ended.returncode == 0, ended.stderr
    assert "sites" in ended.stdout and "this process was recorded before" in ended.stdout
    found = summary(project)
    assert found["packages"] == ["shop"] and found["sites_hit"] >= 5 and found["files"] == 2
    info = python(project, "-m", "surmise", "trace", "info", "out")
    assert info.returncode == 0 and "shop" in info.stdout


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ("'out', 'src/shop'", "src/shop"),
        ("'shop', 'shop'", "shop"),
        ("3, 'shop'", "folder must be a path"),
        ("'out', 3", "package must be a sequence"),
        ("'out', 'shop', exclude='a['", "a["),
    ],
)
def test_bad_requests(project, arguments, part):
    source = (
        f"import surmise\ntry:\n    surmise.trace({arguments})\nexcept surmise.SurmiseError as error:\n    print(error)"
    )
    ended = python(project, "-c", source)
    assert ended.returncode == 0 and part in ended.stdout, ended


def outcomes(ended):
    lines = ended.stdout.splitlines()
    return sorted(line.split("[gw")[0].split(" [")[0] for line in lines if "::test_" in line and "%" in line), [
        line for line in lines if " passed" in line
    ][-1].split(" in ")[0]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_plugin_records_and_changes_no_outcome(project, workers):
    command = ["-m", "pytest", "-v", "-p", "no:cacheprovider", *workers, "tests"]
    plain = python(project, *command)
    traced = python(project, *command, "--surmise-trace=out", "--surmise-package=shop")
    assert plain.returncode == traced.returncode == 1, traced
    assert "6 passed" in plain.stdout and "1 failed" in plain.stdout and "1 skipped" in plain.stdout
    assert outcomes(plain)[1] == outcomes(traced)[1]
    assert "surmise: recorded" in traced.stdout, traced
    found = summary(project)
    # All seven calls are there, whoever made them.
    assert found["events"] >= 7 * 4 and found["sites_hit"] >= 5
    # With workers, the process that starts them imports conftest.py, too.
    assert found["processes"] in ((2, 3) if workers else (1,))


def test_plugin_refuses_what_cannot_be_recorded(project):
    for options, part in [
        (["--surmise-trace=out"], "--surmise-package"),
        (["--surmise-package=shop"], "--surmise-trace"),
        (["--surmise-trace=tests", "--surmise-package=shop"], "tests"),
    ]:
        ended = python(project, "-m", "pytest", "-p", "no:cacheprovider", *options, "tests")
        assert ended.returncode == 4 and part in ended.stderr, ended


def test_plugin_is_quiet_unless_asked(project):
    ended = python(project, "-m", "pytest", "-p", "no:cacheprovider", "tests")
    assert (
        "surmise" not in ended.stdout.replace("plugins:", "").replace(str(project), "")
        or "surmise:" not in ended.stdout
    )
    assert not (project / "out").exists()
