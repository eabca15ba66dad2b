#!/usr/bin/env python3
"""Measures predictive execution by a language model (ORCA) on programs with and without runtime errors.

    scripts/bench-orca.py --llm-url URL --llm-model NAME --out rows.jsonl
    scripts/bench-orca.py --llm-url URL --llm-model NAME --out rows.jsonl --incomplete --limit 20
    scripts/bench-orca.py --scripted --out rows.jsonl

The programs are those of codenet_errors_valid.jsonl, as in the paper (RQ1 to RQ4): --sample of those whose error was
reproduced, with the input that raises it, and as many without an error, drawn by --seed. With --incomplete imports and
headers of functions and classes are removed (scripts/incomplete.py), and Surmise injects what is missing.

Each program is one call of `surmise predict --orca --json`, one question to the model. A row is written to --out as soon
as it is known, and the same command goes on where it was interrupted: it asks about programs without a row and again
about those whose question failed. Rows of another server, model or kind are refused. Answers are kept in --llm-cache,
so that one whose row was lost with a killed script is not paid for twice, and its cost is counted then. The cost of all
attempts is summed up; what a `surmise` that was killed had spent on an answer that broke off is not known, and such
attempts are counted. --llm-cost is a limit for all attempts together, by the prices. The script gives up after ten
questions in a row without an answer. The key of the server is taken from SURMISE_LLM_KEY by `surmise` itself.

With --scripted the answers say what ran, which the script learns from a first call with an empty answer: all figures
must be 100 %, so this measures the benchmark and no model.

Figures, in percent: exact match; longest common prefix and coverage of statements and blocks; transitions between
blocks (all as recall / precision, means over programs); values at the ends of blocks (of all values); line, block and class
of the error (of the programs that raise); detection (of all programs: whether one is raised). The executed trace is the
truth in each. Programs that have no trace, and questions without an answer, are counted as failures and left out; so are
programs whose trace was cut, as `cut traces`, and values that were cut, as `values left out`.

Exit code: 0, or 1 if a program failed or was not asked about, or 2 for bad usage, or 130 when interrupted.
"""

import contextlib
import json
import pathlib
import random
import sys
import tempfile
import threading

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
from scripted_model import serving

CODENET = "codenet_errors_valid.jsonl"
SAMPLE = 374  # of each kind, as in the paper
PAPER = (
    "ORCA with GPT-3.5, complete / incomplete: exact match 38.9 / 36.8, error line 60.0 / 47.9, detection 76.5 / 67.5"
)
# Where scripted answers come from, in rows.
SCRIPTED = ("scripted", "what ran")
# Questions in a row without an answer after which a server is given up.
PATIENCE = 10
INTERRUPTED = 130
# Exit codes of `surmise` where it ended before it asked.
REFUSALS = (2, 3, 4)
AGREEMENTS = {
    "statements prefix": ("statements", "prefix"),
    "statements coverage": ("statements", "coverage"),
    "blocks prefix": ("blocks", "prefix"),
    "blocks coverage": ("blocks", "coverage"),
    "transitions": ("transitions",),
}


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument("--llm-url", metavar="URL", help="base address of the server")
    parser.add_argument("--llm-model", metavar="NAME", help="the model, as the server knows it")
    parser.add_argument("--scripted", action="store_true", help="answer with what ran, and ask no model")
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
    parser.add_argument(
        "--llm-cache", type=pathlib.Path, metavar="DIR", help="folder of answers (default: that of --out with .answers)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "timeout", "limit", "sample")
    if arguments.llm_cost is not None and not (arguments.llm_price_input or arguments.llm_price_output):
        parser.error("--llm-cost needs --llm-price-input and --llm-price-output")
    if arguments.scripted:
        if arguments.llm_url is not None or arguments.llm_model is not None:
            parser.error("--scripted asks no server: leave out --llm-url and --llm-model")
        arguments.llm_url, arguments.llm_model = SCRIPTED
    elif arguments.llm_url is None or arguments.llm_model is None:
        parser.error("--llm-url and --llm-model are needed, or --scripted")
    if arguments.llm_cache is None:
        arguments.llm_cache = arguments.out.with_name(arguments.out.name + ".answers")
    arguments.llm_cache = arguments.llm_cache.resolve()
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


class Rows:
    """Rows by program and what all attempts have cost, in memory and in a file. Shared by threads."""

    def __init__(self, parser, arguments):
        self.kind = {"url": arguments.llm_url, "model": arguments.llm_model, "incomplete": arguments.incomplete}
        self.by_program = {}
        self.attempts = []
        self.lock = threading.Lock()
        try:
            if arguments.out.exists():
                self.read(parser, arguments.out)
            self.file = open(arguments.out, "a", encoding="utf-8")
        except OSError as error:
            parser.error(f"cannot use `{arguments.out}`: {error}")
        if self.file.tell():
            self.file.write("\n")  # ends a line that was cut

    def read(self, parser, path):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # cut by an interruption
            if not isinstance(row, dict) or any(row.get(key) != value for key, value in self.kind.items()):
                parser.error(f"`{path}` has rows of another server, model or kind\nhint: name another file by --out")
            self.keep(row)

    def keep(self, row):
        self.attempts.append(row)
        # A failure does not hide what was found before.
        if "metrics" in row or "metrics" not in self.by_program.get(row["id"], {}):
            self.by_program[row["id"]] = row

    def add(self, row):
        with self.lock:
            self.keep(row)
            print(json.dumps(row), file=self.file, flush=True)

    def has_answer(self, program):
        """Whether the cost of an answer about a program is in a row."""
        with self.lock:
            return any(row["id"] == program and row.get("answered") for row in self.attempts)

    def cost(self):
        with self.lock:
            return sum(row["cost"] for row in self.attempts)


class Budget:
    """Divides what is left of the cost limit among the questions that are open, so that together they keep to it."""

    def __init__(self, arguments, rows):
        self.limit, self.jobs, self.rows = arguments.llm_cost, arguments.jobs, rows
        self.reserved = {}
        self.lock = threading.Lock()

    def reserve(self, program):
        """The options that limit the next question; None if nothing is left."""
        if self.limit is None:
            return []
        with self.lock:
            left = self.limit - self.rows.cost() - sum(self.reserved.values())
            share = left / max(1, self.jobs - len(self.reserved))
            if share <= 0:
                return None
            self.reserved[program] = share
            return ["--llm-cost", repr(share)]

    def release(self, program):
        with self.lock:
            self.reserved.pop(program, None)


class Asking:
    """Asks about programs, one call of `surmise` each."""

    def __init__(self, arguments, rows, url, script):
        self.arguments, self.rows, self.url, self.script = arguments, rows, url, script
        self.budget = Budget(arguments, rows)
        self.failed = 0

    def is_given_up(self):
        return self.failed >= PATIENCE

    def work(self, record, folder):
        """Adds the row of a program, unless no question may be asked."""
        if self.is_given_up():
            return
        row = {"id": record["id"], **self.rows.kind, "cost": 0.0}
        code = record["code"]
        if self.arguments.incomplete:
            try:
                code, _ = make_incomplete(code, keep_input=True)
            except Unusable as error:
                self.rows.add({**row, "failure": f"cannot be made incomplete: {error}"})
                return
        limit = self.budget.reserve(record["id"])
        if limit is None:
            return
        folder = folder / record["id"]
        program = add_program(folder, "program.py", code)
        stdin = folder / "input.txt"
        stdin.write_text(record.get("trigger_stdin") or "", encoding="utf-8", errors="surrogatepass")
        try:
            found = self.predict(row, folder, program, stdin, limit)
            if found is not None:
                self.rows.add(found)
        finally:
            self.budget.release(record["id"])

    def predict(self, row, folder, program, stdin, limit):
        """A row with figures, or with a `failure`; None if the question could have exceeded the limit."""
        if self.script is not None:
            _, found, failure = self.report(folder, program, stdin, row["id"], ["--no-llm-cache"])
            if failure is not None or "executed" not in (found or {}):
                return {**row, "failure": failure or found["failure"]}
            self.script[row["id"]] = truth(found["executed"])
            options, model = ["--no-llm-cache"], row["id"]
        else:
            options, model = ["--llm-cache", str(self.arguments.llm_cache), *limit], row["model"]
        code, found, failure = self.report(folder, program, stdin, model, options)
        if found is None:
            # Its answer, if one came, is in the cache, and counted when it is found there.
            return {**row, "failure": failure, "cost_is_unknown": code not in REFUSALS}
        spent = found["spent"]
        row |= {"cost": spent["cost"], "tokens": spent["prompt_tokens"] + spent["completion_tokens"]}
        if "failure" in found:
            if limit and found["failure"].startswith("the question was not sent"):
                return None
            self.failed += 1
            return {**row, "failure": found["failure"]}
        self.failed = 0
        if spent["cached"] and not self.rows.has_answer(row["id"]):
            usage = found["answer_usage"]
            prices = self.arguments.llm_price_input, self.arguments.llm_price_output
            row["cost"] += (usage["prompt_tokens"] * prices[0] + usage["completion_tokens"] * prices[1]) / 1e6
            row["tokens"] += usage["prompt_tokens"] + usage["completion_tokens"]
        row["answered"] = True
        return {**row, "failure": failure} if failure is not None else {**row, "metrics": found["metrics"]}

    def report(self, folder, program, stdin, model, options):
        arguments = self.arguments
        command = [str(arguments.surmise), "predict", "--orca", "--json", "--timeout", str(arguments.timeout)]
        command += ["--llm-url", self.url, "--llm-model", model, "--stdin", str(stdin)]
        for name in ("price_input", "price_output", "answer_tokens"):
            command += [f"--llm-{name.replace('_', '-')}", str(getattr(arguments, f"llm_{name}"))]
        return report_of([*command, *options, str(program)], folder, arguments.timeout * 8 + 300)


def truth(executed):
    """What a model that is always right would say of an execution."""
    parts = []
    for visit in executed["visits"]:
        # Values that were cut are compared with nothing, and may end in the middle of a bracket.
        known = [(name, entry) for name, entry in visit["symbols"].items() if not entry.get("is_cut")]
        symbols = [f"{name}: ({entry['value']}, '{entry['type']}')" for name, entry in known]
        lines = ", ".join(map(str, visit["lines"]))
        parts.append(f"Block {visit['block']}:\nLines: {lines}\nSymbol table: {{{', '.join(symbols)}}}\n")
    error = executed["error"]
    if error is None:
        return "\n".join([*parts, "<END>\n"])
    return "\n".join([*parts, f"Error: {error['type']} in Block {error['block']}, line {error['line']}\n<STOP>\n"])


def summed_up(rows, attempts):
    """The figures of some rows: means over programs, in percent. `attempts` are all rows, those that failed too."""
    found = [row["metrics"] for row in rows if "metrics" in row]
    # How a trace ends that was cut, nobody knows: such programs are counted alone.
    metrics = [one for one in found if not one.get("is_partial")]
    figures = {"programs": len(metrics), "cut traces": len(found) - len(metrics), "failures": len(rows) - len(found)}
    figures["cost"] = round(sum(row["cost"] for row in attempts), 9)
    figures["attempts"] = len(attempts)
    figures["attempts of unknown cost"] = sum(bool(row.get("cost_is_unknown")) for row in attempts)
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


def ask(arguments, rows, wanted):
    """Asks about programs. Returns whether the server was given up, and whether somebody interrupted the script."""
    script = {} if arguments.scripted else None
    with contextlib.ExitStack() as stack:
        # The name of the model says which program it is.
        url = stack.enter_context(serving(lambda body: script.get(body["model"], ""))) if arguments.scripted else None
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        asking = Asking(arguments, rows, url or arguments.llm_url, script)
        done = in_parallel(arguments.jobs, "program", lambda record: asking.work(record, folder), wanted)
        try:
            for _ in done:
                pass
        except KeyboardInterrupt:
            # What is open is waited for, since it is paid for, and adds its rows.
            done.close()
            return asking.is_given_up(), True
        return asking.is_given_up(), False


def main():
    parser, arguments = parse_arguments()
    rows = Rows(parser, arguments)
    programs = read_programs(parser, arguments)
    wanted = [record for record in programs if "metrics" not in rows.by_program.get(record["id"], {})]
    is_given_up, is_interrupted = ask(arguments, rows, wanted)
    ids = {record["id"] for record in programs}
    figures = summed_up(
        [rows.by_program[record["id"]] for record in programs if record["id"] in rows.by_program],
        [row for row in rows.attempts if row["id"] in ids],
    )
    if arguments.json:
        print_json({**rows.kind, "seed": arguments.seed, "sample": arguments.sample, "figures": figures})
    else:
        kind = "incomplete" if arguments.incomplete else "complete"
        print(f"{arguments.llm_model} at {arguments.llm_url}, {kind} programs, seed {arguments.seed}")
        for name, value in figures.items():
            print(f"{name:32}{'-' if value is None else value}")
        print(PAPER)
    asked = [rows.by_program[record["id"]] for record in programs if record["id"] in rows.by_program]
    failures = [f"{row['id']}: {row['failure']}" for row in asked if "failure" in row]
    if len(asked) < len(programs):
        why = "the cost limit is reached"
        if is_interrupted:
            why = "interrupted"
        elif is_given_up:
            why = f"{PATIENCE} questions in a row had no answer"
        left = len(programs) - len(asked)
        failures.append(f"{left} programs were not asked about: {why}; the same command goes on")
    code = report(failures)
    return INTERRUPTED if is_interrupted else code


if __name__ == "__main__":
    sys.exit(main())
