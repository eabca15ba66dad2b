"""What comparisons of stand-ins came to in a run, so that later ones agree with them.

After `a < b`, `b > a` holds and `a == b` does not; and values that equal the same value are equal.
"""

from _surmise_standins import StandIn

SIGNS = frozenset((-1, 0, 1))  # less, equal, greater
HOLDING = {"lt": {-1}, "le": {-1, 0}, "eq": {0}, "ne": {-1, 1}, "ge": {0, 1}, "gt": {1}}
PLAIN = (type(None), bool, int, float, str, bytes)


class Comparisons:
    def __init__(self):
        self.signs = {}  # pair of values -> what comparing the first with the second may still come to
        self.equal = {}  # value -> one that it equals, a plain one if there is any

    def implied(self, value, name, other):
        """(what follows from earlier comparisons, or None; the question, for `note`)."""
        mine, its = self.known_as(value), self.known_as(other)
        question = (mine, its, name)
        if mine is None or its is None:
            return None, question
        signs = self.possible(mine, its)
        holding = signs & HOLDING[name]
        return (None if holding and holding != signs else bool(holding)), question

    def note(self, question, answer):
        mine, its, name = question
        if mine is None or its is None or mine == its or type(mine) is type(its) is tuple:
            return
        asked = HOLDING[name] if answer else SIGNS - HOLDING[name]
        signs = self.possible(mine, its) & asked or asked
        if signs == {0}:
            self.unite(*((its, mine) if type(mine) is tuple else (mine, its)))
        else:
            self.narrow(mine, its, signs)

    def possible(self, mine, its):
        if mine == its:
            return {0}
        if type(mine) is type(its) is tuple:
            try:
                return {(mine[1] > its[1]) - (mine[1] < its[1])}
            except TypeError:
                return SIGNS - {0}
        return self.signs.get((mine, its), SIGNS)

    def narrow(self, mine, its, signs):
        self.signs[mine, its] = signs
        self.signs[its, mine] = {-sign for sign in signs}

    def unite(self, mine, its):
        """What is known of the first value is known of the second from here on."""
        self.equal[mine] = its
        for first, second in list(self.signs):
            if first == mine:
                signs = self.signs.pop((mine, second))
                self.signs.pop((second, mine), None)
                if second != its:
                    self.narrow(its, second, self.possible(its, second) & signs or signs)

    def known_as(self, value):
        """What stands for a value and all that equal it: the number of a stand-in, or a plain value; None for others."""
        if type(value) is StandIn:
            known = value._surmise_state.number
        elif type(value) in PLAIN:
            known = (type(value), value)
        else:
            return None
        while known in self.equal:
            known = self.equal[known]
        return known
