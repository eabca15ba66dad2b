"""The slim form of a table of sites: what predictors learn from, small enough to be committed.

It has the columns of the public value_use tables, and two more: the file's `sha256`, and `class_counts`, how often each
class of the mask was seen, the lowest bit first (0: seen, but not among those that were counted). Types, literals,
elements and lengths are left out. `surmise train` and `surmise eval` read it as they read the public tables.
"""

from __future__ import annotations

import json
from pathlib import Path

import sites

KEY = ("file", "sha256", *sites.PLACE)
COLUMNS = ("file", "sha256", "line", "column", "end_line", "end_column", "kind", "name", "role", "classes")

# Lines rise slowly in a sorted table: their differences take a third of what dictionaries do.
RISING = ("line", "end_line")

# Bump when the bytes of the same recording change: then all tables are written again.
FORM = "surmise.corpus-slim/1"


def class_counts(mask: int, counts: list[dict], bits: dict[str, int]) -> list[int]:
    """Counts of the classes in a mask, in the order of its bits."""
    known = {bits[entry["class"]]: entry["count"] for entry in counts}
    return [known.get(bit, 0) for bit in range(mask.bit_length()) if mask >> bit & 1]


def write(source: Path, target: Path, project: str, version: str | None) -> None:
    """The same bytes for the same recording and the same pyarrow.

    Raises TableError when the recording cannot be read.
    """
    table = sites.open_table(source)
    import pyarrow

    names = sites.class_names(table)
    bits = {name: bit for bit, name in enumerate(names)}
    try:
        rows = table.read(columns=[*COLUMNS, "counts"])
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise sites.TableError(
            f"`{source}` cannot be read: {error}\nhint: record it again with build.py --redo"
        ) from error
    rows = rows.sort_by([(name, "ascending") for name in KEY])
    masks, counts = (rows.column(name).to_pylist() for name in ("classes", "counts"))
    counted = [class_counts(mask, entries, bits) for mask, entries in zip(masks, counts)]
    rows = rows.select(COLUMNS).append_column("class_counts", pyarrow.array(counted, pyarrow.list_(pyarrow.uint32())))
    entries = {"class_bits": json.dumps(names), "columns": sites.metadata(table)["columns"], "project": project}
    options = {
        "compression": "zstd",
        "compression_level": 19,
        "use_dictionary": [name for name in (*COLUMNS, "class_counts") if name not in RISING],
        "column_encoding": dict.fromkeys(RISING, "DELTA_BINARY_PACKED"),
        "write_statistics": False,
        "store_schema": False,
    }
    with sites.parquet().ParquetWriter(target, rows.schema, **options) as writer:
        writer.write_table(rows)
        # Without the schema of Arrow, which repeats that of Parquet, it takes metadata in this way only.
        writer.add_key_value_metadata({**entries, "version": version or "", "slim": FORM})
