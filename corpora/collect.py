#!/usr/bin/env python3
"""Writes the data set of all finished recordings: see --help."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import conditions
import manifest
import recordings
import sites
import slim
from manifest import ManifestError, Project
from places import Places
from recordings import Recording
from tables import listed, megabytes

DESCRIPTION = """\
Writes the recordings of all finished projects as a data set: a table of sites SPLIT-PROJECT.parquet each, as `surmise
train --data` and `surmise eval --data` take them, and dataset.json, which says what they are.
"""

EPILOG = """\
Tables are copies of what `surmise trace` wrote (docs/trace-format.md). With --slim they have only file, sha256, line,
column, end_line, end_column, kind, name, role, classes and class_counts: see slim.py. With --conditions they are tables
of what each `if`, `while` and `for` came to in recorded calls, as `surmise train --predictor conditions` takes them: see
conditions.py.

A table whose recording is the same as last time is kept; one whose project is gone or is in another split now is
removed. The same recordings give the same bytes. OUT must be new or empty, or hold a data set of this command in the
same form, and no other file.

examples:
  python3 corpora/collect.py --work ../corpus-work -o ../corpus
  python3 -m pip install -r corpora/requirements.txt                          --slim needs it
  python3 corpora/collect.py --work ../corpus-work -o corpora/data --slim --most-mb 25
  python3 corpora/collect.py --work ../corpus-work -o corpora/conditions --conditions
  surmise eval --data ../corpus

Exit code: 0; 1 when a recording could not be read or written (it is left out), or the whole is larger than --most-mb;
2 for bad usage.
"""

LIST = "dataset.json"
SCHEMA = "surmise.corpus/1"
FULL = "surmise.trace/1"


class Dataset:
    """The output folder and its list of tables, which is updated after each table."""

    def __init__(self, folder: Path, form: str):
        self.folder = folder
        self.form = form
        self.tables: dict[str, dict] = {}

    def open(self, known: set[str]) -> None:
        """Opens the output folder. Raises ManifestError if it has anything that this command did not write."""
        entries = sorted(entry.name for entry in self.folder.iterdir()) if self.folder.is_dir() else []
        if self.folder.exists() and not self.folder.is_dir():
            raise ManifestError(f"`{self.folder}` is no folder\nhint: -o names one")
        # What a run left that was killed: half a table, or one that it had no time to list.
        remains = [name for name in entries if is_partial(name)]
        if whole := [name for name in entries if not is_partial(name)]:
            self.tables = self.listed(whole)
            remains += [name for name in whole if name in known - self.tables.keys()]
            if foreign := sorted(set(whole) - {LIST, *self.tables, *remains}):
                message = f"`{self.folder}` has files of others: {listed(foreign)}"
                raise ManifestError(f"{message}\nhint: -o takes a new folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in remains:
            (self.folder / name).unlink()
        self.save()

    def listed(self, entries: list[str]) -> dict[str, dict]:
        """Tables that an earlier run wrote into the folder."""
        try:
            found = json.loads((self.folder / LIST).read_text(encoding="utf-8"))
            form, tables = found["form"], {Path(entry["table"]).name: entry for entry in found["tables"]}
        except FileNotFoundError:
            message = f"`{self.folder}` is not empty and has no {LIST}: {listed(entries)}"
            raise ManifestError(f"{message}\nhint: -o takes a new folder, or one that this command wrote") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ManifestError(f"`{self.folder / LIST}` cannot be read: {error}\nhint: remove the folder") from error
        if form != self.form:
            raise ManifestError(f"`{self.folder}` holds a data set in the form {form}\nhint: -o takes another folder")
        return tables

    def has(self, entry: dict) -> bool:
        """Whether the table exists and was made of the same recording by the same version."""
        old = self.tables.get(entry["table"])
        path = self.folder / entry["table"]
        if old is None or any(old.get(key) != value for key, value in entry.items()) or not path.is_file():
            return False
        return sha256(path) == old["sha256"]

    def add(self, entry: dict, write) -> None:
        """Writes a table atomically. `write` is called with the path to write to."""
        partial = self.folder / f".{entry['table']}.partial"
        try:
            write(partial)
            done = {**entry, "sha256": sha256(partial), "bytes": partial.stat().st_size}
            os.replace(partial, self.folder / entry["table"])
        finally:
            partial.unlink(missing_ok=True)
        self.tables[entry["table"]] = done
        self.save()

    def drop(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)
        del self.tables[name]

    def save(self) -> None:
        tables = [self.tables[name] for name in sorted(self.tables)]
        document = {"schema": SCHEMA, "form": self.form, "tables": tables}
        manifest.replace(self.folder / LIST, json.dumps(document, indent=1) + "\n")

    @property
    def bytes(self) -> int:
        return sum(entry["bytes"] for entry in self.tables.values())


def is_partial(name: str) -> bool:
    return name.startswith(".") and (name.endswith(".partial") or name.startswith(f".{LIST}."))


def table_name(project: Project) -> str:
    return f"{project.split}-{project.name}.parquet"


def table_names(projects: list[Project]) -> set[str]:
    """Names of the tables of projects in all splits, because a project may have moved to another split."""
    return {f"{split}-{project.name}.parquet" for project in projects for split in manifest.SPLITS}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def entry_of(recording: Recording, source: Path) -> dict:
    """What the list says of a table before it is written. A change of any of it has the table written again."""
    project, summary = recording.project, recording.summary
    digest = sha256(source)
    expected = summary.get("tables", {}).get(source.name, digest)
    if digest != expected:
        raise sites.TableError(f"`{source}` is not what was recorded\nhint: build.py --only {project.name} --redo")
    return {
        "table": table_name(project),
        "project": project.name,
        "version": project.version,
        "licence": project.licence,
        "domain": project.domain,
        "split": project.split,
        "python": summary.get("python"),
        "capped": recording.capped,
        **{name: summary[name] for name in ("sites_hit", "pairs", "events")},
        "recording_sha256": digest,
    }


def chosen(dataset: Dataset, found: list[Recording], places: Places) -> list[Recording]:
    """The recordings that have what the data set is made of."""
    done = [recording for recording in found if recording.done]
    if dataset.form == conditions.FORM:
        done = [recording for recording in done if conditions.has_lines(places.trace(recording.project))]
    return done


def collect(dataset: Dataset, found: list[Recording], places: Places) -> tuple[int, list[str]]:
    """Collects all tables; returns the number of unchanged ones, and the errors."""
    kept, problems = 0, []
    done = chosen(dataset, found, places)
    for name in sorted(dataset.tables.keys() - {table_name(recording.project) for recording in done}):
        dataset.drop(name)
    dataset.save()
    for recording in done:
        project = recording.project
        source = places.trace(project) / "sites.parquet"
        try:
            entry = entry_of(recording, source)
            if dataset.has(entry):
                kept += 1
            elif dataset.form == FULL:
                dataset.add(entry, lambda path, source=source: shutil.copyfile(source, path))
            elif dataset.form == conditions.FORM:
                dataset.add(entry, lambda path, of=project: conditions.write(of, places, path))
            else:
                dataset.add(
                    entry, lambda path, source=source, of=project: slim.write(source, path, of.name, of.version)
                )
        except (sites.TableError, OSError) as error:
            # An older table under the same name would be taken for this recording.
            if table_name(project) in dataset.tables:
                dataset.drop(table_name(project))
                dataset.save()
            problems.append(f"{project.name}: {error}")
    return kept, problems


def main() -> int:
    parser = recordings.parser("collect.py", DESCRIPTION, EPILOG)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="folder for the data set")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--slim", action="store_true", help="only what predictors learn from")
    form.add_argument(
        "--conditions", action="store_true", help="what conditions came to, of recordings made with build.py --lines"
    )
    parser.add_argument("--most-mb", type=float, metavar="N", help="exit code 1 when the tables take more")
    parser.add_argument("--json", action="store_true", help="print dataset.json, with totals, at the end")
    options = parser.parse_args()
    form = slim.FORM if options.slim else conditions.FORM if options.conditions else FULL
    dataset = Dataset(options.output.resolve(), form)
    try:
        if form != FULL:
            sites.parquet()
        places, found = recordings.from_options(options)
        if not chosen(dataset, found, places):
            hint = "build.py --lines makes them" if options.conditions else "build.py makes them"
            raise ManifestError(f"no finished recording\nhint: {hint}")
        dataset.open(table_names([recording.project for recording in found]))
    except (ManifestError, sites.TableError, OSError) as error:
        return recordings.fail(error)
    kept, problems = collect(dataset, found, places)
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    usable = {recording.name for recording in chosen(dataset, found, places)}
    missing = [recording.name for recording in found if recording.name not in usable]
    too_large = options.most_mb is not None and dataset.bytes > options.most_mb * 1e6
    if options.json:
        listing = json.loads((dataset.folder / LIST).read_text(encoding="utf-8"))
        totals = {name: sum(entry[name] for entry in listing["tables"]) for name in ("sites_hit", "pairs", "bytes")}
        print(json.dumps({**listing, "totals": totals, "missing": missing, "problems": problems}, indent=1))
    else:
        count, total = len(dataset.tables), sum(entry["sites_hit"] for entry in dataset.tables.values())
        print(f"{count} tables ({kept} kept), {total:,} sites, {megabytes(dataset.bytes)} in `{options.output}`")
        for split in manifest.SPLITS:
            names = [entry["project"] for entry in dataset.tables.values() if entry["split"] == split]
            print(f"{split:6} {len(names):3} projects: {listed(sorted(names), 100)}")
        if missing:
            print(f"not recorded: {listed(missing, 100)}")
    if too_large:
        print(f"error: larger than {options.most_mb:g} MB\nhint: --slim leaves out types and literals", file=sys.stderr)
    return 1 if problems or too_large else 0


if __name__ == "__main__":
    recordings.run(main)
