"""The manifest `projects.json`: reading it, checking it, and telling what a stage depends on."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

PATH = Path(__file__).with_name("projects.json")

WIDTH = 120

SPLITS = ("train", "dev", "test")

# Projects that measure the finished product: nothing is learned from them, whatever the split.
RESERVED = frozenset("pandas tensorflow httpx lark pint dulwich marshmallow markdown tornado poetry-core".split())

# The shared value-use tables have these as test projects. (rich is not in the manifest: its sdist has no tests.)
TEST_TABLES = frozenset("black boltons flask jinja2 networkx paramiko pyramid rich scrapy werkzeug".split())

# What a stage reads of an entry: a change of any other field (licence, split, seconds) redoes nothing.
FETCH_FIELDS = ("name", "version", "sdist_sha256", "requirements", "install", "env")
STAGE_FIELDS = {
    "fetch": FETCH_FIELDS,
    "plain": (*FETCH_FIELDS, "test_command", "cwd"),
    "trace": (*FETCH_FIELDS, "test_command", "cwd", "packages"),
}


class ManifestError(ValueError):
    """Raised for an unusable manifest; the message names the entry and the field."""


@dataclass(frozen=True)
class Project:
    """An entry of the manifest. `version` and `sdist_sha256` are empty for the standard library."""

    name: str
    version: str | None
    sdist_sha256: str | None
    licence: str
    domain: str
    packages: list[str]
    requirements: list[str]
    install: str
    test_command: str
    cwd: str = "."
    env: dict[str, str] = field(default_factory=dict)
    split: str = "train"
    seconds: float | None = None

    @property
    def from_sdist(self) -> bool:
        return self.version is not None

    def fingerprint(self, stage: str) -> str:
        """Fingerprint of an entry that changes exactly if the stage has to be repeated."""
        values = {name: getattr(self, name) for name in STAGE_FIELDS[stage]}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def normalised(name: str) -> str:
    """The name as PyPI normalises it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def load(path: Path = PATH, draft: bool = False) -> list[Project]:
    """A draft may have entries that `pin.py` has not completed yet: see `gaps`."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ManifestError(f"`{path}` cannot be read: {error}") from error
    projects = [parse(entry) for entry in entries]
    check(projects)
    for project in projects if not draft else []:
        for gap in gaps(project):
            raise ManifestError(f"{project.name}: {gap}")
    return projects


def parse(entry: dict) -> Project:
    known = {item.name for item in fields(Project)}
    name = entry.get("name", "an entry without a name")
    if unknown := sorted(entry.keys() - known):
        raise ManifestError(f"{name}: unknown field {', '.join(unknown)}")
    if missing := sorted(known - entry.keys()):
        raise ManifestError(f"{name}: no field {', '.join(missing)}")
    return Project(**entry)


def check(projects: list[Project]) -> None:
    """What must hold of the whole list.

    Raises ManifestError: names twice or out of order, reserved names, bad fields.
    """
    names = [project.name for project in projects]
    if names != sorted(names):
        raise ManifestError("entries are not sorted by name")
    seen: dict[str, str] = {}
    for project in projects:
        name = project.name
        if (other := seen.setdefault(normalised(name), name)) != name or names.count(name) > 1:
            raise ManifestError(f"{name}: is there twice (as {other})")
        if normalised(name) in RESERVED:
            raise ManifestError(f"{name}: is reserved for measuring")
        if normalised(name) in TEST_TABLES and project.split != "test":
            raise ManifestError(f"{name}: is a test project of the shared tables")
        for problem in problems(project):
            raise ManifestError(f"{name}: {problem}")


def problems(project: Project):
    if project.split not in SPLITS:
        yield f"split is `{project.split}`, not one of {', '.join(SPLITS)}"
    if not project.packages or not all(package.isidentifier() for package in project.packages):
        yield f"packages must be top-level import names: {project.packages}"
    if project.sdist_sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", project.sdist_sha256):
        yield f"sdist_sha256 is not a SHA-256: {project.sdist_sha256}"
    if not re.fullmatch(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*", project.licence or ""):
        yield f"licence is not an SPDX expression: {project.licence}"
    if not project.domain or len(project.domain.split()) > 3:
        yield f"domain is not a word or two: {project.domain!r}"
    if not project.test_command:
        yield "test_command is empty"
    if os.path.isabs(project.cwd) or ".." in Path(project.cwd).parts:
        yield f"cwd must be inside the sdist: {project.cwd}"
    if not all(isinstance(value, str) for value in project.env.values()):
        yield "env must map strings to strings"


def gaps(project: Project):
    """What a first good run shows, and `pin.py` fills in."""
    if project.from_sdist and project.sdist_sha256 is None:
        yield "has no sdist_sha256"
    if project.seconds is None:
        yield "has no seconds"
    for requirement in project.requirements:
        if not re.match(r"[A-Za-z0-9._-]+==[^ ;]+$", requirement):
            yield f"requirement is not pinned: {requirement}"


def write(projects: list[Project], path: Path = PATH) -> None:
    """Writes one field per line and wraps long lists, so that a change is easy to read."""
    blocks = []
    for project in sorted(projects, key=lambda project: project.name):
        lines = [f'  "{name}": {rendered(value)}' for name, value in asdict(project).items()]
        blocks.append(" {\n" + ",\n".join(lines) + "\n }")
    replace(path, "[\n" + ",\n".join(blocks) + "\n]\n")


def rendered(value) -> str:
    text = json.dumps(value)
    if not isinstance(value, list) or len(text) <= WIDTH - 20:
        return text
    lines = [""]
    for item in value:
        word = json.dumps(item) + ","
        if lines[-1] and len(lines[-1]) + len(word) > WIDTH - 4:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "[\n   " + "\n   ".join(lines).rstrip(",") + "\n  ]"


def replace(path: Path, text: str) -> None:
    """Writes a file so that a reader, or a restart after a kill, sees the old or the new text and nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
