"""What scripts/bench-ask.py counts, and what it answers."""

import importlib.util
import json
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "bench-ask.py"


def load():
    sys.path.insert(0, str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("bench_ask", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def body(question):
    return {"messages": [{"role": "system", "content": "Answer."}, {"role": "user", "content": question}]}


QUESTION = (
    "Snippet:\n   1 print(a.b)\n   2 Missing:\n\nMissing:\n1. variable `a`, first used in line 1\n3. attribute `a.b`\n"
)


class Proposals(unittest.TestCase):
    def test_all_that_is_missing_gets_a_value_that_the_seed_decides(self):
        bench = load()
        proposer = bench.Proposer(1)
        answer = json.loads(proposer.answer(body(QUESTION)))
        self.assertEqual([value["id"] for value in answer["values"]], [1, 3])
        self.assertTrue(all(value["value"] in bench.LITERALS for value in answer["values"]))
        self.assertEqual(json.loads(bench.Proposer(1).answer(body(QUESTION))), answer)
        proposer.answer(body(QUESTION.replace("print", "input")))
        proposer.answer(body(QUESTION))
        self.assertEqual(sorted(proposer.questions.values()), [1, 2])


class Figures(unittest.TestCase):
    def test_sites_are_counted_against_uses_and_injections(self):
        asked = {"asked": 2, "asked_sites": 3, "used": 1, "refused": [{}], "failure": None}
        place = {"site": 1}
        reports = [
            {"uses": {"total": 10}, "injections": [place, place, {"site": 2}, {"site": None}], "language_model": asked},
            {"uses": {"total": 20}, "injections": [{"site": 0}, {"site": 1}], "language_model": {"asked": 0}},
            {"failure": "no report"},
        ]
        figures, unanswered = load().summed_up(reports, {"a": 1})
        self.assertEqual((figures["snippets"], figures["asked about"], figures["most"]), (2, 1, 1))
        self.assertEqual((figures["values"], figures["sites"], figures["used"], figures["refused"]), (2, 3, 1, 1))
        self.assertEqual((figures["of uses"], figures["of injected"], unanswered), (10.0, 75.0, 0))
        self.assertIsNone(load().summed_up(reports, None)[0]["most"], "only the command knows of requests")


if __name__ == "__main__":
    unittest.main()
