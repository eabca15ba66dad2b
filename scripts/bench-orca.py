#!/usr/bin/env python3
"""Measures predictive execution by a language model (ORCA) on programs with and without runtime errors.

    scripts/bench-orca.py --llm-url URL --llm-model NAME --out rows.jsonl
    scripts/bench-orca.py --llm-url URL --llm-model NAME --out rows.jsonl --incomplete --limit 20

The programs are those of codenet_errors_valid.jsonl, as in the paper (RQ1 to RQ4): --sample of those whose error was
reproduced, with the input that raises it, and as many without an error, drawn by --seed. With --incomplete imports and
headers of functions and classes are removed (scripts/incomplete.py), and Surmise injects what is missing.

Each program is one call of `surmise predict --orca --json`, one question to the model. A row is appended to --out as soon
as it is known, and the same command goes on where it was interrupted; rows of another model are refused. The key of the
server is taken from SURMISE_LLM_KEY by `surmise` itself. --llm-cost is a limit for all programs together, by the prices.

Figures, in percent: exact match; longest common prefix and coverage of statements and blocks; transitions between
blocks (all as recall / precision, means over programs); values at the ends of blocks (of all values); line, block and class
of the error (of the programs that raise); detection (of all programs: whether one is raised). The executed trace is the
truth in each. Programs that have no trace, and questions without an answer, are counted as failures and left out; so are
programs whose trace was cut, as `cut traces`, and values that were cut, as `values left out`.

Exit code: 0, or 1 if a program failed, or 2 for bad usage.
"""

import json
import pathlib
import random
import sys
import tempfile

from command_line import (
    DATASETS,
    add_options,
    add_surmise,
    check_positive,
    check_surmise,
    parser_of,
    print_json,
    report,
)
from incomplete import Unusable, make_incomplete
from records import add_program, in_parallel, read_jsonl, report_of

CODENET = "codenet_errors_valid.jsonl"
SAMPLE = 374  # of each kind, as in the paper
PAPER = (
    "ORCA with GPT-3.5, complete / incomplete: exact match 38.9 / 36.8, error line 60.0 / 47.9, detection 76.5 / 67.5"
)
AGREEMENTS = {
    "statements prefix": ("statements", "prefix"),
    "statements coverage": ("statements", "coverage"),
    "blocks prefix": ("blocks", "prefix"),
    "blocks coverage": ("blocks", "coverage"),
    "transitions": ("transitions",),
}


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument("--llm-url", required=True, metavar="URL", help="base address of the server")
    parser.add_argument("--llm-model", required=True, metavar="NAME", help="the model, as the server knows it")
    parser.add_argument("--llm-price-input", type=float, default=0.0, metavar="PRICE", help="of a million tokens")
    parser.add_argument("--llm-price-output", type=float, default=0.0, metavar="PRICE", help="of a million tokens")
    parser.add_argument("--llm-cost", type=float, metavar="COST", help="most that all programs may cost together")
    parser.add_argument("--llm-answer-tokens", type=int, default=8192, metavar="N", help="of one answer at most")
    parser.add_argument(
        "--datasets", type=pathlib.Path, default=DATASETS, help="where the file is (default: %(default)s)"
    )
    parser.add_argument("--sample", type=int, default=SAMPLE, help="programs of each kind (default: %(default)s)")
    parser.add_argument("--incomplete", action="store_true", help="make the programs incomplete")
    add_options(parser, "--jobs", "--timeout", "--seed", "--limit")
    add_surmise(parser)
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="FILE", help="rows, as JSONL")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "timeout", "limit", "sample")
    if arguments.llm_cost is not None and not (arguments.llm_price_input or arguments.llm_price_output):
        parser.error("--llm-cost needs --llm-price-input and --llm-price-output")
    check_surmise(parser, arguments)
    return parser, arguments


def read_programs(parser, arguments):
    """Records of both kinds, drawn by the seed and mixed, so that any first part of them has both."""
    records = [record for _, record in read_jsonl(parser, arguments.datasets / CODENET, ["id", "error_class"])]
    records = [record for record in records if isinstance(record.get("code"), str)]
    kinds = [
        [record for record in records if record.get("reproduced")],
        [record for record in records if record["error_class"] == "No error"],
    ]
    drawn = []
    for kind in kinds:
        drawn += random.Random(arguments.seed).sample(kind, min(arguments.sample, len(kind)))
    random.Random(arguments.seed).shuffle(drawn)
    return drawn[: arguments.limit]


def read_rows(parser, arguments):
    """Rows that are known already, by id."""
    if not arguments.out.exists():
        return {}
    rows = {}
    with open(arguments.out, encoding="utf-8") as lines:
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                continue  # cut by an interruption
            if (row["model"], row["incomplete"]) != (arguments.llm_model, arguments.incomplete):
                parser.error(f"`{arguments.out}` has rows of another model or kind\nhint: name another file by --out")
            rows[row["id"]] = row
    return rows


class Costs:
    """What all programs together have cost."""

    def __init__(self, arguments, rows):
        self.limit = arguments.llm_cost
        self.spent = sum(row.get("cost", 0.0) for row in rows.values())

    def options(self):
        """The limit of the next question; None if nothing is left."""
        if self.limit is None:
            return []
        left = self.limit - self.spent
        return ["--llm-cost", repr(left)] if left > 0 else None


def predict(arguments, costs, folder, record):
    """The row of a program; `failure` in it says why it has no figures."""
    row = {"id": record["id"], "model": arguments.llm_model, "incomplete": arguments.incomplete, "cost": 0.0}
    code = record["code"]
    if arguments.incomplete:
        try:
            code, _ = make_incomplete(code, keep_input=True)
        except Unusable as error:
            return {**row, "failure": f"cannot be made incomplete: {error}"}
    limit = costs.options()
    if limit is None:
        return None
    folder = folder / record["id"]
    program = add_program(folder, "program.py", code)
    command = [str(arguments.surmise), "predict", "--orca", "--json", "--timeout", str(arguments.timeout), *limit]
    for name in ("url", "model", "price_input", "price_output", "answer_tokens"):
        command += [f"--llm-{name.replace('_', '-')}", str(getattr(arguments, f"llm_{name}"))]
    stdin = folder / "input.txt"
    stdin.write_text(record.get("trigger_stdin") or "", encoding="utf-8", errors="surrogatepass")
    command += ["--stdin", str(stdin), str(program)]
    _, found, failure = report_of(command, folder, arguments.timeout * 8 + 300)
    if failure is not None or found is None:
        return {**row, "failure": failure}
    costs.spent += found["spent"]["cost"]
    tokens = found["spent"]["prompt_tokens"] + found["spent"]["completion_tokens"]
    return {**row, "cost": found["spent"]["cost"], "tokens": tokens, "metrics": found["metrics"]}


def summed_up(rows):
    """The figures of some rows: means over programs, in percent."""
    found = [row["metrics"] for row in rows if "metrics" in row]
    # How a trace ends that was cut, nobody knows: such programs are counted alone.
    metrics = [one for one in found if not one.get("is_partial")]
    figures = {"programs": len(metrics), "cut traces": len(found) - len(metrics), "failures": len(rows) - len(found)}
    figures["cost"] = sum(row["cost"] for row in rows)
    if not metrics:
        return figures

    def mean(values):
        values = [float(value) for value in values if value is not None]
        return round(100 * sum(values) / len(values), 2) if values else None

    figures["exact match"] = mean(one["exact_match"] for one in metrics)
    for name, path in AGREEMENTS.items():
        for side in ("recall", "precision"):
            found = []
            for one in metrics:
                for key in path:
                    one = one[key]
                found.append(one[side])
            figures[f"{name} {side}"] = mean(found)
    right, values = (sum(one["values"][part] for one in metrics) for part in (0, 1))
    figures["values"] = round(100 * right / values, 2) if values else None
    figures["values left out"] = sum(one.get("values_left_out", 0) for one in metrics)
    for key in ("error_line", "error_block", "error_type"):
        figures[key.replace("_", " ")] = mean(one[key] for one in metrics)
    figures["detection"] = mean(one["detection"].startswith("true-") for one in metrics)
    return figures


def main():
    parser, arguments = parse_arguments()
    rows = read_rows(parser, arguments)
    costs = Costs(arguments, rows)
    programs = read_programs(parser, arguments)
    wanted = [record for record in programs if "metrics" not in rows.get(record["id"], {})]
    with tempfile.TemporaryDirectory() as folder, open(arguments.out, "a", encoding="utf-8") as out:
        if out.tell():
            out.write("\n")  # ends a line that was cut

        def work(record):
            return predict(arguments, costs, pathlib.Path(folder), record)

        for row in in_parallel(arguments.jobs, "program", work, wanted):
            if row is not None:
                rows[row["id"]] = row
                print(json.dumps(row), file=out, flush=True)
    chosen = [rows[record["id"]] for record in programs if record["id"] in rows]
    figures = summed_up(chosen)
    if len(chosen) < len(programs):
        print(
            f"{len(programs) - len(chosen)} programs were not asked about: the cost limit is reached", file=sys.stderr
        )
    if arguments.json:
        print_json({"model": arguments.llm_model, "incomplete": arguments.incomplete, "figures": figures})
    else:
        print(f"{arguments.llm_model}, {'incomplete' if arguments.incomplete else 'complete'} programs")
        for name, value in figures.items():
            print(f"{name:32}{'-' if value is None else value}")
        print(PAPER)
    failures = [f"{row['id']}: {row['failure']}" for row in chosen if "failure" in row]
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
