"""Verdicts on Lee and Seung (2001): sentences, for the paper prints no result."""

from studies import stored
from studies.machinery.verdicts import sentence_rows
from studies.machinery.words import sentences

#: A sweep that rises by less than this part of the cost is rounding.
ROUNDING = 1e-12
#: A fit is at rest if its last sweep takes less than this part of the cost.
REST = 1e-7
NAMES = {"Euclid": "Euclidean distance", "divergence": "divergence"}

says = sentences(__file__)


def claims():
    """Judge the sentences that a computer can ask."""
    rows = stored("lee-theorems")
    return sentence_rows(
        row for cost in NAMES for row in _about(cost, rows[rows.cost == cost])
    )


def _about(cost, rows):
    name, rest = NAMES[cost], rows["last"].abs() < REST
    found = f"largest rise in 300 sweeps: {'none' if rows.rise.max() < ROUNDING else 'some'}"
    yield says(f"nonincreasing, {cost}", [ROUNDING - rows.rise], found)
    found = f"at rest after 3,000 sweeps, with a slope at a zero of {rows.down.mean():+.2f}, in "
    found += "parts of the largest at the start"
    yield says(f"invariant, {cost}", [rows.down[rest]], found)
    found = f"a small step up from the zero takes {rows.taken.mean():.3%} off the cost"
    yield says(
        "converges", [-rows.taken], found, about=f"{name}, from a start with a zero"
    )
    yield says(
        "fixed", [ROUNDING - rows.fixed], "W and H stay where they are", about=name
    )
    found = "positive along each factor, negative between a pair and the same pair in another order"
    yield says("convex", [rows.in_W, rows.in_H, -rows.in_both], found, about=name)
