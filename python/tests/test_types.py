"""The package's types, as a type checker sees them."""

import subprocess
import sys

import surmise

USE = """
import surmise

result = surmise.run("x = y", runs=3)
reveal_type(result.error)
reveal_type(surmise.predict("x")[0].classes[0].probability)
surmise.run(3)
result.outcome = "error"
"""


def mypy(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_package_passes_strict_checks():
    ended = mypy("--strict", "--ignore-missing-imports", "--package", "surmise")
    assert ended.returncode == 0, ended.stdout


def test_users_have_types(tmp_path):
    file = tmp_path / "use.py"
    file.write_text(USE)
    messages = [line.split(": ", 1)[1] for line in mypy("--strict", str(file)).stdout.splitlines()]
    assert 'note: Revealed type is "surmise.results.Error | None"' in messages or any(
        "surmise.results.Error" in message and "None" in message for message in messages
    ), messages
    assert any("float" in message for message in messages)
    assert any('incompatible type "int"' in message for message in messages)
    assert any('"outcome"' in message and "read-only" in message for message in messages)


def test_everything_public_is_there_and_explained():
    for name in surmise.__all__:
        value = getattr(surmise, name)
        assert name == "__version__" or value.__doc__, name
    assert set(surmise.__all__) <= set(dir(surmise))
