"""Verdicts on Lee and Seung (2001): sentences, for the paper prints no result."""

from studies import stored
from studies.machinery.verdicts import sentence, sentence_rows

#: A sweep that rises by less than this part of the cost is rounding.
ROUNDING = 1e-12
#: A fit is at rest if its last sweep takes less than this part of the cost.
REST = 1e-7
PLACE = {"Euclid": "§4, Theorem 1", "divergence": "§4, Theorem 2"}
NAME = {"Euclid": "Euclidean distance", "divergence": "divergence"}


def claims():
    """Judge the sentences that a computer can ask."""
    rows = stored("lee-theorems")
    return sentence_rows(row for cost in PLACE for row in _about(cost, rows[rows.cost == cost]))


def _about(cost, rows):
    zero = {
        "cause": "the claim does not hold",
        "reason": "a factor that is zero stays zero, whatever the slope there: start without zeros",
    }
    yield sentence(
        PLACE[cost],
        f"The {NAME[cost]} … is nonincreasing under the update rules",
        [ROUNDING - rows.rise],
        f"largest rise in 300 sweeps: {'none' if rows.rise.max() < ROUNDING else 'some'}",
    )
    yield sentence(
        PLACE[cost],
        f"The {NAME[cost]} is invariant under these updates if and only if W and H are at a "
        "stationary point",
        [rows.down[rows["last"].abs() < REST]],
        f"at rest after 3,000 sweeps, with a slope at a zero of {rows.down.mean():+.2f}, in parts "
        "of the largest at the start",
        about="only if",
        **zero,
    )
    yield sentence(
        "§2",
        "repeated iteration of the update rules is guaranteed to converge to a locally optimal "
        "matrix factorization",
        [-rows.taken],
        f"a small step up from the zero takes {rows.taken.mean():.3%} off the cost",
        about=f"{NAME[cost]}, from a start with a zero",
        **zero,
    )
    yield sentence(
        "§4",
        "perfect reconstruction is necessarily a fixed point of the update rules",
        [ROUNDING - rows.fixed],
        "W and H stay where they are",
        about=NAME[cost],
    )
    yield sentence(
        "§3",
        "convex in W only or H only, they are not convex in both variables together",
        [rows.in_W, rows.in_H, -rows.in_both],
        "positive along each factor, negative between a pair and the same pair in another order",
        about=NAME[cost],
    )
