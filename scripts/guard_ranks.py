"""Where the condition of a guard ranks among those that a model says, for its place and among all places."""

from normal_conditions import respelled

# Of a ranking as good as this, the reciprocal of the rank is counted; a condition that is not said counts 0.
ANSWERS = 5


def placed(invariants, guard):
    """Ranks of a guard among the conditions of all regions of its file, each the most certain first."""
    regions = {}
    for found in sorted(invariants, key=lambda found: found["entropy"]):
        regions.setdefault((found["function"], found["line"], found["end_line"]), []).append(found)
    # Of the regions that begin there, the one that ends nearest to where the guarded one does.
    here = [region for region in regions if region[1] == guard["line"]]
    place = min(here, key=lambda region: abs(region[2] - guard["end_line"]), default=None)
    if place is None:
        return {"is_placed": False, "rank": None, "entropy": None, "function": None, "file": None}
    said = [respelled(found["condition"]) for found in regions[place]]
    rank = said.index(guard["condition"]) + 1 if guard["condition"] in said else None
    function = {region: found for region, found in regions.items() if region[0] == place[0]}
    return {
        "is_placed": True,
        "is_exact_place": place[2] == guard["end_line"],
        "rank": rank,
        "said": said,
        "entropy": regions[place][0]["entropy"],
        "function": among(function, place, guard["condition"]),
        "file": among(regions, place, guard["condition"]),
    }


def among(regions, place, condition):
    """What the ranking of regions by the entropy of their likeliest conditions says of a place and its condition."""
    order = sorted(regions, key=lambda region: regions[region][0]["entropy"])
    first = order[0]
    firsts = [respelled(regions[region][0]["condition"]) for region in order]
    at = order.index(place)
    return {
        "regions": len(order),
        "rank": at + 1 if firsts[at] == condition else None,
        "rank_of_place": at + 1,
        "entropy": regions[first][0]["entropy"],
        "is_place": first == place,
        # A region that begins at the same line: with more or fewer statements.
        "is_line": first[1] == place[1],
        "is_condition": firsts[0] == condition,
        "is_condition_anywhere": condition in firsts,
    }


def summary(rows):
    """The figures of a table."""
    if not rows:
        return {"guards": 0}
    reached = [row for row in rows if row["is_placed"]]
    ranks = [row["rank"] for row in rows]
    place = {
        "single_test": share(rows, lambda row: row["is_single"]),
        "region_there": share(rows, lambda row: row["is_placed"]),
        "region_exact": share(rows, lambda row: row["is_placed"] and row["is_exact_place"]),
        "first_answer": share(ranks, lambda rank: rank == 1),
        "one_of_five": share(ranks, lambda rank: rank is not None and rank <= ANSWERS),
        "mean_reciprocal_rank": reciprocal(ranks),
        "certain_tenth": certain_tenth(reached, lambda row: row["entropy"], lambda row: row["rank"] == 1),
    }
    figures = {"guards": len(rows), "place": place}
    for part in ("function", "file"):
        figures[part] = of_ranking(rows, [row[part] for row in reached])
    return figures


def of_ranking(rows, found):
    """Figures of the rankings of all places; guards without a region count as not found."""
    ranks = [one["rank"] for one in found]
    count = len(rows)
    return {
        "regions_each": round(sum(one["regions"] for one in found) / max(1, len(found)), 1),
        "first_of_all": share(ranks, lambda rank: rank == 1, count),
        "one_of_first_five": share(ranks, lambda rank: rank is not None and rank <= ANSWERS, count),
        "one_of_first_ten": share(ranks, lambda rank: rank is not None and rank <= 10, count),
        "mean_reciprocal_rank": reciprocal(ranks, count),
        "certain_tenth": certain_tenth(found, lambda one: one["entropy"], lambda one: one["rank"] == 1),
        "first_has_the_place": share(found, lambda one: one["is_place"], count),
        "first_has_the_line": share(found, lambda one: one["is_line"], count),
        "first_has_the_condition": share(found, lambda one: one["is_condition"], count),
        "condition_anywhere": share(found, lambda one: one["is_condition_anywhere"], count),
    }


def share(rows, is_right, count=None):
    """Percentage of rows, or of `count`, for which something is so."""
    return round(100 * sum(map(bool, map(is_right, rows))) / max(1, count or len(rows)), 1)


def reciprocal(ranks, count=None):
    return round(sum(1 / rank for rank in ranks if rank) / max(1, count or len(ranks)), 3)


def certain_tenth(rows, entropy, is_right):
    """Percentage that is right of the tenth with the least entropy."""
    order = sorted(rows, key=entropy)
    return share(order[: max(1, len(order) // 10)], is_right)
