"""Reading and comparing the outcomes of single tests."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import outcomes
from outcomes import FAILED, PASSED, SKIPPED

JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest">
<testcase classname="tests.test_a" name="test_plain" time="0.1" />
<testcase classname="tests.test_a" name="test_fails"><failure message="no">text</failure></testcase>
<testcase classname="tests.test_a" name="test_errs"><error message="no">text</error></testcase>
<testcase classname="tests.test_a" name="test_skips"><skipped message="why" /></testcase>
<testcase classname="tests.test_a" name="test_of[&lt;object at 0x7f00deadbeef&gt;]" />
<testcase classname="tests.test_a" name="test_of[&lt;object at 0x7f00deadbe00&gt;]" />
</testsuite></testsuites>
"""

UNITTEST = """\
test_one (mod.Class.test_one) ... ok
test_two (mod.Class.test_two)
The docstring's first line. ... FAIL
test_noisy (mod.Class.test_noisy) ... something is printed
and more of it
ok
test_skipped (mod.Class.test_skipped) ... skipped 'no network ... here'
test_expected (mod.Class.test_expected) ... expected failure
setUpClass (mod.Other) ... ERROR

======================================================================
FAIL: test_two (mod.Class.test_two)
----------------------------------------------------------------------
Traceback (most recent call last):
OK
"""

TRIAL = """\
twisted.web.test.test_http.Tests.test_good ... [OK]
twisted.web.test.test_http.Tests.test_bad ... [FAIL]
twisted.web.test.test_http.Tests.test_ugly ... [ERROR]
                                                                        [ERROR]
twisted.web.test.test_http.Tests.test_later ... [TODO]
twisted.web.test.test_http.Tests.test_not ... [SKIPPED]
-------------------------------------------------------------------------------
Ran 5 tests in 0.1s
"""

BIOPYTHON = """\
test_Ace ... ok
test_Affy ... skipping. Install NumPy if you want to use Bio.Affy.CelFile
test_BioSQL ... FAIL
Bio.Seq docstring test ... ok
"""


class Junit(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "junit.xml"
            path.write_text(text)
            return outcomes.from_junit(path)

    def test_outcomes_and_names(self):
        found = self.read(JUNIT)
        self.assertEqual(
            found,
            {
                "tests.test_a::test_plain": PASSED,
                "tests.test_a::test_fails": FAILED,
                "tests.test_a::test_errs": FAILED,
                "tests.test_a::test_skips": SKIPPED,
                "tests.test_a::test_of[<object at 0x>]": PASSED,
                "tests.test_a::test_of[<object at 0x>] #2": PASSED,
            },
        )
        self.assertEqual(outcomes.counts(found), {PASSED: 3, FAILED: 2, SKIPPED: 1})

    def test_a_file_that_is_cut_off_or_missing(self):
        self.assertEqual(self.read(JUNIT[:200]), {})
        self.assertEqual(outcomes.from_junit(Path("/nonexistent/junit.xml")), {})


class Text(unittest.TestCase):
    def test_unittest(self):
        found = outcomes.from_text(UNITTEST)
        self.assertEqual(
            list(found.items()),
            [
                ("test_one (mod.Class.test_one)", PASSED),
                ("test_two (mod.Class.test_two)", FAILED),
                ("test_noisy (mod.Class.test_noisy)", PASSED),
                ("test_skipped (mod.Class.test_skipped)", SKIPPED),
                ("test_expected (mod.Class.test_expected)", PASSED),
                ("setUpClass (mod.Other)", FAILED),
            ],
        )

    def test_trial(self):
        found = outcomes.from_text(TRIAL)
        self.assertEqual(list(found.values()), [PASSED, FAILED, FAILED, PASSED, SKIPPED])
        self.assertIn("twisted.web.test.test_http.Tests.test_ugly", found)

    def test_biopython(self):
        found = outcomes.from_text(BIOPYTHON)
        self.assertEqual(list(found.values()), [PASSED, SKIPPED, FAILED, PASSED])
        self.assertIn("Bio.Seq docstring test", found)


class Compare(unittest.TestCase):
    PLAIN = {"a": PASSED, "b": PASSED, "c": FAILED}

    def test_equal_runs(self):
        self.assertEqual(outcomes.compare(self.PLAIN, dict(self.PLAIN)), [])

    def test_each_difference_is_named(self):
        found = outcomes.compare(self.PLAIN, {"a": FAILED, "b": PASSED, "d": PASSED})
        self.assertEqual(
            found,
            [
                {"test": "a", "plain": PASSED, "traced": FAILED},
                {"test": "c", "plain": FAILED, "traced": None},
                {"test": "d", "plain": None, "traced": PASSED},
            ],
        )

    def test_a_capped_run_is_compared_as_far_as_it_came(self):
        self.assertEqual(outcomes.compare(self.PLAIN, {"a": PASSED}, capped=True), [])
        self.assertEqual(len(outcomes.compare(self.PLAIN, {"a": FAILED}, capped=True)), 1)


if __name__ == "__main__":
    unittest.main()
