"""Fig. 4 of Guan et al.: points on a line, some of them moved away, where we choose."""

import warnings

import numpy as np

from rnmf_tutorial import L1NMF, NMF, ScaleWarning, TruncatedCauchyNMF
from studies.guan.theorem import truncated_loss

#: Of the truncated loss, and how often it is begun.
SCALE, THRESHOLD, STARTS = 0.1, 0.3, 10


def line_with_outliers(spoiled, seed=0):
    """Return 180 points on y = 0.2 x, and which are spoiled: the first 40 in x, others in y."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.5, 10, 180)
    points = np.column_stack([x, 0.2 * x]) + rng.normal(0, 0.02, (180, 2))
    order = rng.permutation(180)[:spoiled]
    points[order[:40], 0] += rng.uniform(15, 35, order[:40].size)
    points[order[40:], 1] += rng.uniform(2, 8, order[40:].size)
    return np.maximum(points, 0), order


def slope(model, points):
    """Fit one component; return the slope of its direction."""
    x, y = model.fit(points).components_[0]
    return float(y / x)


def three_slopes(points):
    """Return what squares, absolute values and the truncated loss find, the best of ten starts."""
    model = TruncatedCauchyNMF(1, scale=SCALE, outliers=THRESHOLD, max_iter=5000)
    fits = []
    with (
        warnings.catch_warnings()
    ):  # outliers lead the squares and some of the starts away
        warnings.simplefilter("ignore", ScaleWarning)
        for start in range(STARTS):
            found = slope(model.set_params(random_state=start), points)
            fits.append((model.objective_history_[-1], found))
        return {
            "NMF": slope(NMF(1, solver="mu", random_state=0), points),
            "L1NMF": slope(L1NMF(1, random_state=0), points),
            "TruncatedCauchyNMF": min(fits)[1],
        }


def share_recovered(model, spoiled, starts=1):
    """Return the share of the fits, of six draws, whose slope is within 5% of the truth."""
    slopes = [
        slope(
            model.set_params(random_state=start), line_with_outliers(spoiled, draw)[0]
        )
        for draw in range(6)
        for start in range(starts)
    ]
    return float((np.abs(np.array(slopes) / 0.2 - 1) < 0.05).mean())


def three_profiles(points, slopes, stops=31):
    """Return, for the same losses, the objective of every slope with the best coefficients."""
    w = np.array([np.ones_like(slopes), slopes]) / np.hypot(1, slopes)
    exact = points[:, :, None] / w  # what fits x, what fits y: the best is between them
    t = np.linspace(0, 1, stops)[:, None, None]
    h = (1 - t) * exact[:, 0] + t * exact[:, 1]

    def profile(loss):
        cost = sum(loss(points[:, k, None] - h * w[k]) for k in (0, 1))
        return cost.min(axis=0).sum(axis=0)

    return {
        "NMF": profile(np.square),
        "L1NMF": profile(np.abs),
        "TruncatedCauchyNMF": profile(lambda e: truncated_loss(e, SCALE, THRESHOLD)),
    }
