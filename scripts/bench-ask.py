#!/usr/bin/env python3
"""Measures about how many places of incomplete code `surmise cover --ask-when-unsure` asks a language model.

    scripts/bench-ask.py                                # functions.jsonl and so_snippets.jsonl of ../shared/datasets
    scripts/bench-ask.py --ask-when-unsure 0.8 --limit 50 FILE.jsonl
    scripts/bench-ask.py --llm-url URL --llm-model NAME  # a real model, with what its values are worth

What is asked does not depend on answers, since one question a snippet is all that may be asked. So without --llm-url
the script serves the answers itself, on the loopback interface: for each missing value a literal, drawn by --seed. It
counts the questions that arrive, by the snippets in them. With --llm-url the number of questions is what `surmise`
reports, and the key of the server is taken from SURMISE_LLM_KEY by `surmise` itself.

Columns, by file:

snippets     those with different texts; the same text is run once
asked about  snippets about which a question was asked
most         questions about one snippet at most
values       missing values that were asked for
sites        places of the code that use them
of uses      these, of all uses of values in best runs
of injected  these, of the places at which best runs injected values
used         values of the model that runs injected
refused      values of the model that were refused

The goal is at most 15 % of the sites with 0.5, and one question a snippet.

Exit code: 0, or 1 if a snippet was not run, or a question had no answer, or 2 for bad usage.
"""

import json
import pathlib
import random
import subprocess
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
from records import read_jsonl
from scripted_model import question_of, serving

DEFAULT_FILES = [DATASETS / "functions.jsonl", DATASETS / "so_snippets.jsonl"]
LITERALS = ["None", "True", "0", "7", "0.5", "''", "'text'", "[]", "[1, 2]", "['a', 'b']", "{}", "{'a': 1}", "(1, 2)"]
# Between the snippet and what it lacks, in the questions of `surmise`.
MISSING = "\nMissing:\n"
COLUMNS = ["snippets", "asked about", "most", "values", "sites", "of uses", "of injected", "used", "refused"]


def parse_arguments():
    parser = parser_of(__doc__, skipped=2)
    add_options(parser, "files", "--field", "--jobs", "--timeout", "--time", "--seed", "--limit")
    parser.add_argument(
        "--ask-when-unsure", type=float, default=0.5, metavar="P", help="the probability (default: %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=64, help="runs of each snippet at most (default: %(default)s)")
    parser.add_argument("--llm-url", metavar="URL", help="base address of a server")
    parser.add_argument("--llm-model", metavar="NAME", help="the model, as the server knows it")
    parser.add_argument("--llm-tokens", type=int, default=10**9, metavar="N", help="of all questions and answers")
    add_surmise(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "timeout", "time", "limit", "runs", "llm_tokens")
    if not 0.0 <= arguments.ask_when_unsure <= 1.0:
        parser.error("--ask-when-unsure must be between 0 and 1")
    if (arguments.llm_url is None) != (arguments.llm_model is None):
        parser.error("--llm-url and --llm-model belong together")
    check_surmise(parser, arguments)
    arguments.files = arguments.files or DEFAULT_FILES
    return parser, arguments


class Proposer:
    """Proposes a value for all that is missing, and counts questions by snippet."""

    def __init__(self, seed):
        self.seed = seed
        self.questions = {}
        self.lock = threading.Lock()

    def answer(self, body):
        question = question_of(body)
        snippet, _, missing = question.rpartition(MISSING)
        with self.lock:
            self.questions[snippet] = self.questions.get(snippet, 0) + 1
        # By the question: which thread asks first does not matter.
        draw = random.Random(f"{self.seed} {question}")
        numbers = [int(line.split(".")[0]) for line in missing.splitlines() if line.split(".")[0].isdigit()]
        return json.dumps({"values": [{"id": number, "value": draw.choice(LITERALS)} for number in numbers]})


def distinct(parser, path, field, limit):
    """Records with different texts under names of their own."""
    texts = dict.fromkeys(record[field] for _, record in read_jsonl(parser, path, [field])[:limit])
    return [{"id": f"{number}", "code": text} for number, text in enumerate(texts)]


def cover(arguments, url, model, path, count):
    """The reports of all snippets; None and a message if the command failed."""
    command = [arguments.surmise, "cover", "--jsonl", path, "--json", "--no-llm-cache", "--llm-url", url]
    command += ["--llm-model", model, "--llm-requests", str(count * 5), "--llm-tokens", str(arguments.llm_tokens)]
    for name in ("ask_when_unsure", "jobs", "timeout", "time", "seed", "runs"):
        command += [f"--{name.replace('_', '-')}", str(getattr(arguments, name))]
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    if done.returncode != 0:
        return [], f"`surmise cover` ended with exit code {done.returncode}"
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    return [one for one in reports if "file" in one], None


def summed_up(reports, questions):
    """The figures of one file: questions are counted by snippet, None where only `surmise` knows of them."""
    figures = dict.fromkeys(COLUMNS, 0)
    uses, injected, unanswered = 0, 0, 0
    for one in reports:
        if "failure" in one:
            continue
        figures["snippets"] += 1
        uses += one["uses"]["total"]
        injected += len({place["site"] for place in one["injections"] if place["site"] is not None})
        advice = one.get("language_model")
        if not advice or not advice["asked"]:
            continue
        figures["asked about"] += 1
        figures["values"] += advice["asked"]
        figures["sites"] += advice["asked_sites"]
        figures["used"] += advice["used"]
        figures["refused"] += len(advice["refused"])
        unanswered += advice["failure"] is not None
    figures["most"] = max(questions.values(), default=0) if questions is not None else None
    figures["of uses"] = round(100 * figures["sites"] / uses, 2) if uses else None
    figures["of injected"] = round(100 * figures["sites"] / injected, 2) if injected else None
    return figures, unanswered


def measure(parser, arguments, path, folder):
    """Figures and failures of one file."""
    records = distinct(parser, path, arguments.field, arguments.limit)
    own = folder / "snippets.jsonl"
    own.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    if arguments.llm_url is not None:
        reports, failure = cover(arguments, arguments.llm_url, arguments.llm_model, own, len(records))
        questions = None
    else:
        proposer = Proposer(arguments.seed)
        with serving(proposer.answer) as url:
            reports, failure = cover(arguments, url, "scripted", own, len(records))
        questions = proposer.questions
    figures, unanswered = summed_up(reports, questions)
    failures = [failure] if failure else []
    if figures["snippets"] < len(records) and not failure:
        failures.append(f"{len(records) - figures['snippets']} snippets were not run")
    if unanswered:
        failures.append(f"{unanswered} questions had no answer of the asked form")
    if questions is not None and len(questions) != figures["asked about"]:
        failures.append(f"questions about {len(questions)} snippets came, {figures['asked about']} are reported")
    return figures, [f"{path.name}: {failure}" for failure in failures]


def main():
    parser, arguments = parse_arguments()
    model = arguments.llm_model or "scripted"
    document = {"schema": "surmise.bench-ask/1", "model": model, "ask_when_unsure": arguments.ask_when_unsure}
    document |= {"seed": arguments.seed, "sets": {}}
    failures = []
    for path in arguments.files:
        with tempfile.TemporaryDirectory(prefix="surmise-bench-") as folder:
            figures, failed = measure(parser, arguments, path, pathlib.Path(folder))
        document["sets"][path.name] = figures
        failures += failed
    if arguments.json:
        print_json(document)
    else:
        print(f"{model}, --ask-when-unsure {arguments.ask_when_unsure}, seed {arguments.seed}")
        for name, figures in document["sets"].items():
            print(name)
            for column, value in figures.items():
                unit = " %" if column.startswith("of ") else ""
                print(f"  {column:14}{'-' if value is None else f'{value}{unit}'}")
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
