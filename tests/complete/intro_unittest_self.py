"""unittest run of itself with failures, errors, skips, subtests; exit code 1."""
import sys
import unittest


class Runner:
    """Runs a suite and prints results without any times."""

    def __init__(self, *a, **k):
        pass

    def run(self, suite):
        result = unittest.TestResult()
        suite(result)
        print("run", result.testsRun)
        for kind in ("failures", "errors", "skipped", "expectedFailures"):
            for test, text in getattr(result, kind):
                print(kind, test.id().replace("__main__.", ""))
                print("   ", text.strip().replace(__file__, "FILE").replace("\n", "\n    "))
        return result


def divide(a, b): return a / b


class TestDivide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = []

    def setUp(self):
        self.values = [1, 2, 3]
        self.addCleanup(self.shared.append, self.id().split(".")[-1])

    def test_ok(self):
        self.assertEqual(divide(4, 2), 2)

    def test_fails(self):
        self.assertEqual(divide(4, 2), 3, "custom message")

    def test_list(self):
        self.assertListEqual(self.values, [1, 2, 4])

    def test_error(self):
        self.assertTrue(divide(1, len(self.values) - 3))

    def test_raises(self):
        with self.assertRaises(ZeroDivisionError) as ctx:
            divide(1, 0)
        self.assertIn("zero", str(ctx.exception))
        with self.assertRaisesRegex(TypeError, "unsupported"):
            divide("a", 1)
        self.assertRaises(KeyError, {}.__getitem__, "k")

    def test_not_raised(self):
        with self.assertRaises(ValueError):
            divide(1, 1)

    def test_subtests(self):
        for n in (1, 0, 2, 0):
            with self.subTest(n=n):
                self.assertEqual(divide(n, 1), n or 5)

    @unittest.skip("not today")
    def test_skip(self):
        1 / 0

    @unittest.expectedFailure
    def test_expected(self):
        self.assertMultiLineEqual("a\nb\n", "a\nc\n")

    def test_assert_statement(self):
        assert self.values[0] == 2, f"plain assert {self.values}"

    @unittest.skipIf(sys.version_info > (3,), "py3")
    def test_skip_if(self): pass

    @classmethod
    def tearDownClass(cls):
        print("cleanups", sorted(cls.shared))


class TestMock(unittest.TestCase):
    def test_patch(self):
        from unittest import mock
        with mock.patch("__main__.divide", return_value=99) as m:
            self.assertEqual(divide(1, 2), 99)
            m.assert_called_once_with(1, 2)
        with mock.patch.dict(globals(), {"divide": lambda a, b: "patched"}):
            self.assertEqual(divide(0, 0), "patched")
        m2 = mock.Mock(side_effect=[1, KeyError("x")])
        self.assertEqual(m2(), 1)
        with self.assertRaises(KeyError):
            m2()
        self.assertEqual(divide(9, 3), 3)


if __name__ == "__main__":
    unittest.main(testRunner=Runner)
