"""sys.exit with an arbitrary object: str() of it goes to stderr."""
import sys


class Report:
    def __init__(self, *lines):
        self.lines = lines

    def __str__(self):
        print("str called", len(self.lines))
        return " / ".join(self.lines)

    def __repr__(self):
        return "Report()"


print("exiting")
sys.exit(Report("a", "b"))
