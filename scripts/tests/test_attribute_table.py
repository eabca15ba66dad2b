"""The table of attributes of builtin types has all that this Python's types have."""

import types
import unittest
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "instrument" / "src" / "type_doubts" / "attributes.txt"
ITERATORS = [map, zip, filter, enumerate, reversed, types.GeneratorType, type(iter([]))]
KINDS = {
    "bool": [bool],
    "int": [int],
    "float": [float],
    "complex": [complex],
    "str": [str],
    "bytes": [bytes],
    "list": [list],
    "tuple": [tuple],
    "dict": [dict],
    "set": [set, frozenset],
    "range": [range],
    "iterator": ITERATORS,
}


class AttributeTable(unittest.TestCase):
    def test_nothing_that_a_type_has_is_missing(self):
        lines = (line.split(":") for line in TABLE.read_text().splitlines())
        table = {kind: set(names.split()) for kind, names in lines}
        self.assertEqual(set(table), set(KINDS))
        for kind, classes in KINDS.items():
            names = {name for cls in classes for name in dir(cls) if not name.startswith("_")}
            self.assertEqual(names - table[kind], set(), kind)


if __name__ == "__main__":
    unittest.main()
