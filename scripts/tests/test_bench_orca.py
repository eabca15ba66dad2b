"""What scripts/bench-orca.py makes of rows."""

import importlib.util
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "bench-orca.py"


def load():
    import sys

    sys.path.insert(0, str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("bench_orca", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(exact, recall, values, line, detection):
    agreement = {"recall": recall, "precision": 1.0}
    level = {"prefix": agreement, "coverage": agreement}
    metrics = {
        "exact_match": exact,
        "statements": level,
        "blocks": level,
        "transitions": agreement,
        "values": values,
        "error_line": line,
        "error_block": line,
        "error_type": line,
        "detection": detection,
    }
    return {"id": "a", "cost": 0.25, "metrics": metrics}


class Figures(unittest.TestCase):
    def test_means_are_over_the_programs_that_have_the_figure(self):
        rows = [
            row(True, 1.0, [3, 3], True, "true-positive"),
            row(False, 0.5, [0, 1], False, "false-negative"),
            row(False, 0.0, [0, 0], None, "true-negative"),
            {"id": "b", "cost": 0.0, "failure": "no report"},
            {"id": "c", "cost": 0.0, "metrics": {"is_partial": True, "detection": None}},
        ]
        figures = load().summed_up(rows)
        self.assertEqual((figures["programs"], figures["failures"], figures["cost"]), (3, 1, 0.75))
        self.assertEqual(figures["cut traces"], 1, "in no mean")
        self.assertEqual(figures["exact match"], 33.33)
        self.assertEqual((figures["blocks prefix recall"], figures["blocks prefix precision"]), (50.0, 100.0))
        self.assertEqual(figures["values"], 75.0)
        self.assertEqual(figures["error line"], 50.0, "of the two that raise")
        self.assertEqual(figures["detection"], 66.67)

    def test_nothing_has_no_figures(self):
        self.assertEqual(load().summed_up([]), {"programs": 0, "cut traces": 0, "failures": 0, "cost": 0})


if __name__ == "__main__":
    unittest.main()
