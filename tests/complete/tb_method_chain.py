"""Uncaught: multi-line method chain; which line does CPython name?"""


class Query:
    def __init__(self, rows):
        self.rows = list(rows)

    def where(self, test):
        return Query(r for r in self.rows if test(r))

    def select(self, fn):
        return Query(map(fn, self.rows))

    def first(self):
        return self.rows[0]

    def count(self):
        return len(self.rows)


people = Query([("ann", 31), ("bob", 25), ("cy", 47)])
print(
    people
    .where(lambda p: p[1] > 30)
    .select(lambda p: p[0])
    .first()
)
answer = (
    people
    .where(lambda p: p[1] > 20)
    .select(
        lambda p: p[0].title()
    )
    .where(lambda n: n > "Z")
    .first()
    .lower()
    .center(10, "*")
)
print(answer)
