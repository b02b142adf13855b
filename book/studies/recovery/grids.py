"""When are the parts themselves found again? Share of errors × rank, with a known answer."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from rnmf_tutorial import NMF, CauchyNMF, HuberNMF
from studies import grid
from studies.machinery.pursuit import pursuit

SHARES = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4]
RANKS = [2, 4, 6, 8, 10]
METHODS = ["NMF", "Huber", "Cauchy", "pursuit, NMF"]

STARTS, SWEEPS = 2, 200
SCALE = 0.2  # of Huber and Cauchy, in units of the mean of the spoiled data
FOUND = 0.1  # largest distance at which a part counts as found


def separable(r, seed, shape=(60, 40)):
    """Draw W and H ≥ 0; each part has a feature and a sample of its own, so both are unique.

    The other entries are uniform, half of them zero.
    """
    draw, (m, n) = np.random.default_rng([seed, r]), shape
    W, H = (draw.random(size) * (draw.random(size) < 0.5) for size in ((m, r), (r, n)))
    W[:r], H[:, :r] = np.eye(r), np.eye(r)
    return draw.permutation(W), draw.permutation(H, axis=1)


def spoil(X, share, seed):
    """Replace a share of the entries, on average, by numbers uniform up to the largest entry."""
    draw = np.random.default_rng([seed, 1])
    return np.where(draw.random(X.shape) < share, draw.uniform(0, X.max(), X.shape), X)


def distances(W, W0):
    """Return how far each column of W0 is from its partner in W, both of length one.

    The pairs are those with the smallest sum. A column of zeros is at the distance one.
    """
    W, W0 = (V / np.maximum(np.linalg.norm(V, axis=0), 1e-300) for V in (W, W0))
    apart = np.linalg.norm(W0[:, :, None] - W[:, None, :], axis=0)
    return apart[linear_sum_assignment(apart)]


def factors(method, A, r, seed):
    """Fit from a few starts; return W and H of the one with the lowest objective."""
    model = {"Huber": HuberNMF, "Cauchy": CauchyNMF}.get(method, NMF)(r, solver="cd")
    model.set_params(max_iter=SWEEPS, tol=0)
    if method in ("Huber", "Cauchy"):
        model.set_params(scale=SCALE * A.mean())
    if method == "pursuit, NMF":
        A = np.maximum(pursuit(A)[0], 0)
    ends = []
    for start in range(STARTS):
        H = model.set_params(random_state=100 * seed + start).fit_transform(A.T).T
        ends.append((model.objective_history_[-1], model.components_.T, H))
    _, W, H = min(ends, key=lambda end: end[0])
    return W, H


def cell(seed, share, rank, method):
    """Return the error of WH, and the distance of the part that is worst found."""
    W0, H0 = separable(rank, seed)
    X = W0 @ H0
    W, H = factors(method, spoil(X, share, seed), rank, seed)
    error = np.linalg.norm(W @ H - X) / np.linalg.norm(X)
    return {"error": float(error), "worst_part": float(distances(W, W0).max())}


LIVE = {"share": [0.1], "rank": [4], "method": METHODS}
RECOVERY = grid(
    "recovery", cell, LIVE, seed=range(5), share=SHARES, rank=RANKS, method=METHODS
)

#: Each grid with the data sets it needs.
GRIDS = [(RECOVERY, [])]
