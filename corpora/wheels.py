#!/usr/bin/env python3
"""Unpacks the sources of released packages to learn guards from: see --help."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import environment
import manifest
from environment import FetchError
from manifest import RESERVED, TEST_TABLES, normalised
from places import Places

LIST = Path(__file__).resolve().parent / "wheels.json"
FETCHERS = 4
# Copies of other projects, and what generators wrote.
COPIED = frozenset("_vendor vendor vendored _vendored vendors extern externals third_party thirdparty".split())
LARGEST_FILE = 512 << 10

DESCRIPTION = """\
Downloads the wheels that `wheels.json` names and unpacks their Python files, without installing or running anything:
WORK/sources/NAME. Copies of other projects inside them are left out. What is there already stays. `--pin NAME...` adds
packages with their newest versions to the list.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="wheels.py",
        description=DESCRIPTION,
        epilog="example:\n  python3 corpora/wheels.py --work ../sources",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is put; about 1 GB")
    parser.add_argument("--pin", nargs="+", metavar="NAME", default=[], help="add these packages to the list")
    options = parser.parse_args()
    places = Places(options.work.resolve())
    listed = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else []
    known = {normalised(entry["name"]) for entry in listed}
    left_out = kept_apart()
    wanted = listed
    if options.pin:
        names = dict.fromkeys(normalised(name) for name in options.pin)
        if apart := sorted(left_out.intersection(names)):
            print(f"error: not for learning: {', '.join(apart)}", file=sys.stderr)
            return 2
        wanted = [{"name": name} for name in names if name not in known]
    failed, done = [], []
    with ThreadPoolExecutor(FETCHERS) as pool:
        for number, (entry, problem) in enumerate(pool.map(lambda entry: attempt(entry, places), wanted), 1):
            print(f"[{number:3}/{len(wanted)}] {entry['name']:28} {problem or 'there'}", file=sys.stderr, flush=True)
            (failed if problem else done).append(entry)
    if options.pin:
        whole = sorted([*listed, *done], key=lambda entry: entry["name"])
        LIST.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    if failed:
        print(f"failed: {', '.join(entry['name'] for entry in failed)}", file=sys.stderr)
        print("hint: the same command tries these again", file=sys.stderr)
    return 1 if failed else 0


def kept_apart() -> set[str]:
    """Projects that are measured on, and those that are learned from anyway."""
    projects = [*manifest.load(draft=True), *manifest.load(manifest.PATH.with_name("fresh.json"), draft=True)]
    return {normalised(name) for name in [*RESERVED, *TEST_TABLES, *(project.name for project in projects)]}


def attempt(entry: dict, places: Places) -> tuple[dict, str]:
    """The entry, complete, and what went wrong, or an empty string."""
    folder = places.work / "sources" / entry["name"]
    if "sha256" in entry and folder.is_dir():
        return entry, ""
    try:
        places.work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=places.work) as scratch:
            wheel = download(entry, Path(scratch), places)
            digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
            if entry.get("sha256", digest) != digest:
                raise FetchError(f"has the SHA-256 {digest}, the list says {entry['sha256']}")
            unpacked = Path(scratch) / "unpacked"
            version, licence = unpack(wheel, unpacked)
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            unpacked.rename(folder)
    except (FetchError, OSError, zipfile.BadZipFile) as error:
        return entry, f"FAILED: {error}"
    found = {"name": entry["name"], "version": version, "sha256": digest, "licence": licence}
    return {**found, "split": entry.get("split", split_of(entry["name"]))}, ""


def split_of(name: str) -> str:
    """One package in twenty is for choices."""
    return "train" if zlib.crc32(name.encode()) % 20 else "dev"


def download(entry: dict, folder: Path, places: Places) -> Path:
    wanted = f"{entry['name']}=={entry['version']}" if "version" in entry else entry["name"]
    log = places.work / "results" / "wheels" / f"{entry['name']}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
    environment.pip([*words, "--python-version", "3.11", "--dest", str(folder), wanted], places, log)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise FetchError(f"pip left {len(wheels)} wheels")
    return wheels[0]


def unpack(wheel: Path, folder: Path) -> tuple[str, str]:
    """Writes the Python files of a wheel into a folder; returns version and licence."""
    version = licence = ""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            path = PurePosixPath(member.filename)
            if len(path.parts) == 2 and path.parts[0].endswith(".dist-info") and path.name == "METADATA":
                version, licence = described(archive.read(member).decode("utf-8", "replace"))
            is_source = path.suffix == ".py" and member.file_size <= LARGEST_FILE
            is_outside = path.is_absolute() or ".." in path.parts
            if not is_source or is_outside or COPIED.intersection(path.parts):
                continue
            target = folder.joinpath(*path.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
    if not folder.is_dir():
        raise FetchError("has no Python files")
    return version, licence


def described(metadata: str) -> tuple[str, str]:
    """Version and licence of a wheel's METADATA."""
    header = metadata.split("\n\n", 1)[0]
    fields: dict[str, list[str]] = {}
    for line in header.splitlines():
        key, _, value = line.partition(": ")
        fields.setdefault(key, []).append(value.strip())
    classified = [value.split(" :: ")[-1] for value in fields.get("Classifier", []) if value.startswith("License :: ")]
    licence = (fields.get("License-Expression") or classified or fields.get("License") or [""])[0]
    return fields["Version"][0], licence[:60]


if __name__ == "__main__":
    sys.exit(main())
