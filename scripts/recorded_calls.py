"""Runs of functions on the values that one of their recorded calls had: for bench-fidelity.py.

A predictor that knew the values of a call would give such a run, so its rows say what better predictions can bring:

class      each site gets the class that the call read there first
value      strings, numbers and lengths as well, where the recording has them
answers    conditions and loops first come out as they did in the call, too, as far as its lines show that

What is left to a real call is the surroundings: objects of the project, and values that are no literals.
"""

import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command_line import ROOT

sys.path.insert(0, str(ROOT / "corpora"))

import conditions  # noqa: E402
import manifest  # noqa: E402

SCHEMA = "surmise.recorded-call/1"
LEVELS = ("class", "value", "answers")


class NoValuesError(Exception):
    """A recording was made without the values of calls."""


def read_calls(recording, numbers):
    """Rows of lines.parquet by number, with their values; class names become numbers."""
    import pyarrow.parquet

    table = pyarrow.parquet.ParquetFile(recording / "lines.parquet")
    if "values" not in table.schema_arrow.names:
        raise NoValuesError(f"`{recording}` has no values of calls\nhint: record into another --out")
    classes = json.loads(table.schema_arrow.metadata[b"class_bits"])
    found, first = {}, 0
    for batch in table.iter_batches(columns=["lines", "cut", "values"]):
        for number in range(first, first + batch.num_rows):
            if number in numbers:
                row = {name: batch.column(name)[number - first].as_py() for name in ("lines", "cut", "values")}
                row["values"] = [{**value, "class": classes.index(value["class"])} for value in row["values"]]
                found[number] = row
        first += batch.num_rows
    return found


def outcomes(source, call):
    """What the conditions of a call first came to."""
    found, handlers = conditions.parsed(source)
    conditions.Sequence(found, handlers).follow(call["lines"], call["cut"])
    decided = sorted({(one.line, one.column): one.first[True] > 0 for one in found.values() if one.first}.items())
    return [{"line": line, "column": column, "holds": holds} for (line, column), holds in decided]


def document(source, call, level):
    """What a run is given of a call."""
    values = call["values"]
    if level == "class":
        values = [{**value, "literal": None, "length": None} for value in values]
    answers = outcomes(source, call) if level == "answers" else []
    return {"schema": SCHEMA, "values": values, "conditions": answers}


def guide(arguments, rows, known, level):
    """Runs all functions on the values of one call each, and adds their lines to `rows`."""
    label = f"recorded: {level}"
    folder = arguments.out / "guided" / f"recorded-{level}"
    print(f"{label}: {len(rows)} functions", file=sys.stderr, flush=True)

    def guided(key):
        row = rows[key]
        path = key.split("::")[0]
        name = hashlib.sha256(key.encode()).hexdigest()[:24]
        result, given = folder / f"{name}.json", folder / f"{name}.call.json"
        if not result.exists():
            source = Path(row["path"]).read_text(encoding="utf-8")
            manifest.replace(given, json.dumps(document(source, row["call"], level)))
            command = [str(arguments.surmise), "run", "--json", "--alone", "--runs", "1", "--recorded", str(given)]
            command += ["--seed", str(arguments.seed), "--function", row["function"], path]
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            text = ended.stdout if ended.stdout.startswith("{") else json.dumps({"failure": ended.stderr.strip()})
            manifest.replace(result, text)
        found = json.loads(result.read_text(encoding="utf-8"))
        if "lines" not in found:
            row["failures"][label] = found["failure"]
            return
        row["guided"][label] = known[key].sequence(found["lines"]["covered_lines"])
        row["errors"][label] = found["error"]

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(guided, sorted(rows)))
    return label
