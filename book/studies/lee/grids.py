"""What the theorems of Lee and Seung (2001) say, on matrices that are drawn."""

from itertools import islice

import numpy as np

from rnmf_tutorial.papers import lee
from studies import grid

#: Cost -> its box, its objective, and the slope for W.
COSTS = {
    "Euclid": (lee.euclid, lee.euclid_objective, lambda V, W, H: 2 * (W @ H - V) @ H.T),
    "divergence": (
        lee.divergence,
        lee.divergence_objective,
        lambda V, W, H: (1 - V / (W @ H)) @ H.T,
    ),
}
SHAPE, RANK = (20, 15), 4


def rise(box, cost, V, W, H, sweeps=300):
    """The largest rise of the cost in a sweep, as a part of its first value."""
    values = [
        cost(V, W, H),
        *(cost(V, *point) for point in islice(box(V, W, H), sweeps)),
    ]
    return float(np.diff(values).max() / values[0])


def locked(box, cost, slope, V, W, H, sweeps=3000):
    """Start with two entries of a part at zero, sweep to rest, and look at the slopes there.

    At rest the slopes of the part, weighted by any other part, add up to zero. One zero
    alone would have no slope, and of two with slopes one points down.

    Returns how much of the cost the last sweep takes, the lower slope at a zero as a
    part of the largest at the start, and the part of the cost that a small step up from
    there takes.
    """
    W = W.copy()
    W[:2, 0] = 0
    first = abs(slope(V, W, H)).max()
    *_, before, after = islice(box(V, W, H), sweeps)
    W, H = after
    rest = cost(V, W, H)
    last = cost(V, *before) - rest
    slopes = slope(V, W, H)[:2, 0]
    up = W.copy()
    up[slopes.argmin(), 0] = 1e-3 * W.max()
    return (
        float(last / rest),
        float(slopes.min() / first),
        float((rest - cost(V, up, H)) / rest),
    )


def curvature(cost, V, one, other):
    """The second difference of the cost along a segment of pairs (W, H)."""
    middle = [(a + b) / 2 for a, b in zip(one, other, strict=True)]
    return float(cost(V, *one) + cost(V, *other) - 2 * cost(V, *middle))


def cell(seed, cost):
    """Ask every sentence of one draw."""
    box, value, slope = COSTS[cost]
    rng = np.random.default_rng([seed, list(COSTS).index(cost)])
    V = 0.1 + rng.random(SHAPE)
    W, H, W2, H2 = (
        0.1 + rng.random(s) for s in 2 * [(SHAPE[0], RANK), (RANK, SHAPE[1])]
    )
    perfect = W @ H
    moved = next(box(perfect, W, H))
    last, down, taken = locked(box, value, slope, V, W[:, :2], H[:2])
    # from (W, H) to the other end of the same product: the cost is 0 at both ends, not
    # between
    swapped = (W[:, ::-1], H[::-1])
    return {
        "rise": rise(box, value, V, W, H),
        "fixed": float(max(abs(moved[0] / W - 1).max(), abs(moved[1] / H - 1).max())),
        "last": last,
        "down": down,
        "taken": taken,
        "in_W": curvature(value, V, (W, H), (W2, H)),
        "in_H": curvature(value, V, (W, H), (W, H2)),
        "in_both": curvature(value, perfect, (W, H), swapped),
    }


LIVE = {"seed": range(3), "cost": list(COSTS)}
THEOREMS = grid("lee-theorems", cell, LIVE, seed=range(20), cost=list(COSTS))
GRIDS = [(THEOREMS, [])]
