"""datetime with fixed dates, csv, calendar, statistics, seeded random, operator, copy, types."""
import calendar
import csv
import datetime as dt
import io
import operator
import random
import statistics
import types

d = dt.date(2024, 2, 28)
print(d + dt.timedelta(days=2), d.strftime("%A %d %B %Y"), d.replace(year=2023).isoformat(), d.weekday(), (dt.date(2024, 12, 25) - d).days, d < dt.date.max)
t = dt.datetime(2024, 1, 31, 13, 45, 10, 500, tzinfo=dt.timezone.utc)
print(t.isoformat(), t.astimezone(dt.timezone(dt.timedelta(hours=5, minutes=30))), repr(t.time()), f"{t:%H:%M}", t.timetuple().tm_yday)
for bad in (lambda: dt.date(2023, 2, 29), lambda: dt.datetime.strptime("x", "%Y"), lambda: t < dt.datetime(2024, 1, 1), lambda: dt.date.fromisoformat("2024-13-01"), lambda: dt.timedelta(days=10 ** 10)):
    try: print(bad())
    except (ValueError, TypeError, OverflowError) as e: print(type(e).__name__, e)
print(dt.timedelta(hours=25, seconds=-1), dt.timedelta(days=1) / 3, divmod(dt.timedelta(hours=5), dt.timedelta(hours=2)), abs(dt.timedelta(-1)), dt.datetime.strptime("06/05/24", "%d/%m/%y").date())
print(calendar.month(2024, 2), calendar.isleap(2000), calendar.monthrange(2023, 2)[1] if False else list(calendar.monthrange(2023, 2))[1])
class Tz(dt.tzinfo):
    def utcoffset(self, when): return dt.timedelta(hours=2)
    def dst(self, when): return None
    def tzname(self, when): return "TZ2"
print(dt.datetime(2024, 6, 1, tzinfo=Tz()).strftime("%H %Z %z"), sorted([dt.date(2024, m, 1) for m in (3, 1, 2)])[0])
buf = io.StringIO(); w = csv.DictWriter(buf, ["a", "b"], lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC); w.writeheader(); w.writerow({"a": 1, "b": "x,y"})
try: w.writerow({"c": 1})
except ValueError as e: print(e)
print(buf.getvalue(), [r for r in csv.reader(["a;b;'c;d'"], delimiter=";", quotechar="'")])
print(statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2]), round(statistics.stdev([2, 4, 4, 5]), 4), statistics.mode("aab"))
try: statistics.mean([])
except statistics.StatisticsError as e: print(e)
r = random.Random(42); print(r.randint(1, 100), r.choice("abc"), r.sample(range(10), 3), round(r.random(), 6), r.shuffle(x := [1, 2, 3, 4]) or x)
random.seed(7); print([random.randrange(10) for _ in range(5)], random.choices("ab", k=3, weights=[1, 9]))
print(operator.add(1, 2), operator.contains([1], 1), list(map(operator.neg, [1, -2])), operator.index(True), sorted([(2, "a"), (1, "b")], key=operator.itemgetter(0)))
ns = types.SimpleNamespace(a=1, b=[2]); ns.c = ns.a + ns.b[0]; print(ns, vars(ns)); mp = types.MappingProxyType({"k": 1}); print(mp["k"], mp)
try: mp["k"] = 2
except TypeError as e: print(e)
def body(ns): ns["x"] = 5; ns["get"] = lambda self: self.x
K = types.new_class("K", (dict,), {}, body); print(K().get(), K.__mro__[1].__name__, types.resolve_bases((dict,)))
@types.coroutine
def co(): x = yield 1; return x * 2
async def main(): return await co()
g = main(); print(g.send(None))
try: g.send(21)
except StopIteration as e: print(e.value)
