"""Outcomes of single tests: read from JUnit XML or from the verbose text of other runners, and compared."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

# `test_x (module.Class.test_x) ... ok` of unittest and Django, where the docstring's first line may come between name and
# dots; `module.Class.test_x ... [OK]` of trial; `test_Ace ... ok` and `Bio.Seq docstring test ... ok` of Biopython.
NAME = re.compile(r"^(\w+ \([\w.<>-]+\)|[\w.-]+(?: docstring test)?(?= \.\.\. ))")
VERDICTS = {
    "ok": PASSED,
    "OK": PASSED,
    "TODO": PASSED,
    "expected failure": PASSED,
    "unexpected success": FAILED,
    "FAIL": FAILED,
    "FAILED": FAILED,
    "ERROR": FAILED,
    "skipped": SKIPPED,
    "skipping": SKIPPED,
    "SKIPPED": SKIPPED,
}
VERDICT = re.compile(rf"\[?(?P<word>{'|'.join(VERDICTS)})(?:\b|\])(?:$|\]$|[ .:].*$)")
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


def stable(name: str) -> str:
    """A name that is the same in two runs: pytest puts addresses of objects into the names of parametrised tests."""
    return ADDRESS.sub("0x", name)


def numbered(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Numbers names that occur more than once, in the order of running."""
    seen: Counter[str] = Counter()
    outcomes = {}
    for name, outcome in pairs:
        name = stable(name)
        seen[name] += 1
        outcomes[name if seen[name] == 1 else f"{name} #{seen[name]}"] = outcome
    return outcomes


def from_junit(path: Path) -> dict[str, str]:
    """Outcomes in a JUnit file of pytest; none if it is missing or truncated."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return {}
    pairs = []
    for case in root.iter("testcase"):
        tags = {child.tag for child in case}
        outcome = FAILED if tags & {"failure", "error"} else SKIPPED if "skipped" in tags else PASSED
        pairs.append((f"{case.get('classname')}::{case.get('name')}", outcome))
    return numbered(pairs)


def from_text(text: str) -> dict[str, str]:
    """Verbose output of unittest, trial, Django's and Biopython's runners.

    What a test prints may stand between the dots and the verdict, which then is at the start of a later line.
    """
    pairs: list[tuple[str, str]] = []
    waiting = None
    for line in text.splitlines():
        if found := NAME.match(line):
            waiting = found[1]
        if waiting is None:
            continue
        if verdict := verdict_in(line, fresh=bool(found)):
            pairs.append((waiting, verdict))
            waiting = None
    return numbered(pairs)


def verdict_in(line: str, fresh: bool) -> str | None:
    """The verdict in a line: after `...`, or at the start of a line that does not name a test."""
    parts = line.split(" ... ")
    tails = [" ... ".join(parts[start:]).strip() for start in range(1 if fresh else 0, len(parts))]
    return next((VERDICTS[found["word"]] for tail in tails if (found := VERDICT.match(tail))), None)


def counts(outcomes: dict[str, str]) -> dict[str, int]:
    found = Counter(outcomes.values())
    return {outcome: found[outcome] for outcome in (PASSED, FAILED, SKIPPED)}


def compare(plain: dict[str, str], traced: dict[str, str], capped: bool = False) -> list[dict[str, str | None]]:
    """Tests whose outcome differs. If a run reached its time limit, only tests that both runs reached count."""
    names = plain.keys() & traced.keys() if capped else plain.keys() | traced.keys()
    return [
        {"test": name, "plain": plain.get(name), "traced": traced.get(name)}
        for name in sorted(names)
        if plain.get(name) != traced.get(name)
    ]
