"""Tables of sites in Parquet: what is read of them, through pyarrow, and their masks of classes."""

from __future__ import annotations

import json
from pathlib import Path

# What tells a site from all others in its file.
PLACE = ("line", "column", "end_line", "end_column", "kind")

REQUIREMENTS = "corpora/requirements.txt"


class TableError(Exception):
    """A table that cannot be read, or no library to read it with."""


def parquet():
    """pyarrow is not needed to build the corpus, only by those who look into its tables."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise TableError(f"no pyarrow in this Python\nhint: python3 -m pip install -r {REQUIREMENTS}") from error
    return pyarrow.parquet


def open_table(path: Path):
    """An open table of sites: a `pyarrow.parquet.ParquetFile`."""
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
    """The entries of the file itself; ARROW:schema is pyarrow's own."""
    found = table.metadata.metadata or {}
    return {key.decode(): value.decode() for key, value in found.items() if key != b"ARROW:schema"}


def class_names(table) -> list[str]:
    return json.loads(metadata(table)["class_bits"])


def rows(table, columns: tuple[str, ...]):
    """The rows as tuples."""
    for batch in table.iter_batches(columns=list(columns)):
        yield from zip(*(batch.column(name).to_pylist() for name in columns))


def named(mask: int, names: list[str]) -> list[str]:
    """The classes of a mask, the lowest bit first."""
    return [name for bit, name in enumerate(names) if mask >> bit & 1]
