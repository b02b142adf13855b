"""Tables III and IV of Guan et al. at every stopping point: when does a pass more or less decide?

The paper prints neither the number of passes nor its tolerance. One run is measured
after 5 to 300 passes, by four readings of the outlier rule and the scale. Where the
reading of the published code is best, after few passes, it has ten draws.
"""

from functools import partial

import numpy as np

from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.models.truncated import three_sigma
from studies import grid
from studies.guan import twelve_steps
from studies.guan.competitors import RANK, clustering_scores
from studies.guan.noise import corrupted_orl
from studies.guan.printed import printed_table

RECORDED = [5, 10, 15, 20, 30, 50, 100, 200, 300]
EARLY = [5, 10, 15, 20, 30]

#: The readings: what rejects, and which scale. The published code has γ = 0.1 and its
#: rule off.
READINGS = {
    "none": partial(twelve_steps.TruncatedCauchyNMF, outliers=None),
    "three-sigma": partial(twelve_steps.TruncatedCauchyNMF, outliers="three-sigma"),
    "none, γ = 0.1": partial(twelve_steps.TruncatedCauchyNMF, outliers=None, scale=0.1),
    "three-sigma, γ = 0.1": partial(
        twelve_steps.TruncatedCauchyNMF, outliers="three-sigma", scale=0.1
    ),
}


def found_in_gamma(sizes):
    """Return the share of all errors that the printed rule rejects: those of Γ beyond μ + 3δ.

    Γ has the sizes up to the median, μ and δ are its mean and deviation (section 3.3).
    """
    in_gamma = sizes <= np.median(sizes)
    return float(np.mean(in_gamma & (sizes > three_sigma(sizes, None, None))))


def stopping_cell(seed, noise, reading, stops=RECORDED):
    """One run of Algorithm 2 in single precision, measured on the way; one row per stop."""
    faces, A = corrupted_orl(noise, seed)
    A = A.astype(np.float32)
    model = READINGS[reading](RANK, max_iter=stops[-1], tol=0, random_state=seed)
    return [
        {
            "sweep": sweep.number,
            "objective": sweep.objective,
            "rre": relative_error(faces.data.T, sweep.W @ sweep.H),
            "in_gamma": found_in_gamma(np.abs(A.T - sweep.W @ sweep.H)),
            **clustering_scores(sweep.H.T, faces.target),
        }
        for sweep in model.sweeps(A)
        if sweep.number in stops
    ]


def early_cell(seed, noise):
    """Thirty passes of Algorithm 2 with the published code's setting: γ = 0.1, its rule off."""
    return stopping_cell(seed, noise, "none, γ = 0.1", EARLY)


STOPPING = grid(
    "guan-stopping",
    stopping_cell,
    {"noise": ["salt & pepper 50"], "reading": ["none, γ = 0.1"]},
    seed=[1],
    noise=[*(f"salt & pepper {p}" for p in (5, 10, 50)), "blocks 10", "blocks 16"],
    reading=list(READINGS),
)
EARLY_STOPPING = grid(
    "guan-stopping-early",
    early_cell,
    {"noise": ["blocks 16"]},
    seed=range(1, 11),
    noise=[f"blocks {b}" for b in (10, 16, 18, 20)],
)


def distance_from_print(rows):
    """Return the mean distance from the printed row, in points: error in III, accuracy in IV.

    One line per table and reading, one column per number of passes.
    """
    printed = printed_table()
    printed = printed[printed.method == "TruncatedCauchyNMF"]
    long = rows.melt(["noise", "reading", "sweep"], ["rre", "ac"], var_name="metric")
    long = long.groupby(
        ["noise", "reading", "sweep", "metric"], as_index=False
    ).value.mean()
    long = long.merge(printed[["noise", "metric", "printed"]], on=["noise", "metric"])
    table = long.noise.str.startswith("blocks").map({True: "IV", False: "III"})
    off = 100 * (long.value - long.printed).abs()
    return (
        off.groupby([table.rename("table"), long.reading, long.sweep]).mean().unstack()
    )
