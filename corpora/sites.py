"""Reads Parquet tables of sites, with pyarrow, and their masks of classes."""

from __future__ import annotations

import json
from pathlib import Path

# Columns that identify a site in its file.
PLACE = ("line", "column", "end_line", "end_column", "kind")

REQUIREMENTS = "corpora/requirements.txt"


class TableError(Exception):
    """Raised if a table, or the library to read it with, is missing or unusable."""


def parquet():
    """pyarrow is not needed to build the corpus, only by those who look into its tables."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise TableError(f"no pyarrow in this Python\nhint: python3 -m pip install -r {REQUIREMENTS}") from error
    return pyarrow.parquet


def open_table(path: Path):
    """Opens a table of sites as a `pyarrow.parquet.ParquetFile`."""
    library = parquet()
    import pyarrow

    try:
        table = library.ParquetFile(path)
        class_names(table)
    except (OSError, pyarrow.ArrowInvalid, KeyError, ValueError) as error:
        message = f"`{path}` cannot be read: {error}"
        raise TableError(f"{message}\nhint: record it again with build.py --redo, or fetch the data again") from error
    return table


def metadata(table) -> dict[str, str]:
    """Metadata of the file, without pyarrow's own entry ARROW:schema."""
    found = table.metadata.metadata or {}
    return {key.decode(): value.decode() for key, value in found.items() if key != b"ARROW:schema"}


def class_names(table) -> list[str]:
    return json.loads(metadata(table)["class_bits"])


def rows(table, columns: tuple[str, ...]):
    """Iterates over the rows as tuples."""
    for batch in table.iter_batches(columns=list(columns)):
        yield from zip(*(batch.column(name).to_pylist() for name in columns))


def named(mask: int, names: list[str]) -> list[str]:
    """Names of the classes in a mask, from the lowest bit."""
    return [name for bit, name in enumerate(names) if mask >> bit & 1]
