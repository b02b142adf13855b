"""Thirty passes of the printed algorithms, where the error still fell after the declared ten.

This was added after the rows of `literal` had been seen, and it is not counted: it asks
where those runs were going. It rejects nothing.
"""

from rnmf_tutorial.data import load_orl
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.published import guan
from studies import grid
from studies.guan.competitors import RANK, clustering_scores
from studies.guan.literal import DRAWS
from studies.guan.noise import POSITIVE, corrupted, positive_laplace

STOPS = [10, 20, 30]


def longer_cell(reading, noise, seed):
    """One run in double precision, a row for each stop; the seed draws noise and start."""
    faces = load_orl(32, aligned=True)
    if reading == "positive":
        level = int(noise.rsplit(" ", 1)[1])
        A = positive_laplace(faces.data, level, POSITIVE["positive, scaled"], seed)
    else:
        A = corrupted(faces.data, noise, seed)
    model = guan.TruncatedCauchyNMF(RANK, outliers=None, max_iter=STOPS[-1], tol=0)
    model.set_params(random_state=seed)
    return [
        {
            "passes": sweep.number,
            "rre": relative_error(faces.data.T, sweep.W @ sweep.H),
            **clustering_scores(sweep.H.T, faces.target),
            "objective": sweep.objective,
        }
        for sweep in model.sweeps(A)
        if sweep.number in STOPS
    ]


LONGER_SALT = grid(
    "guan-longer-salt",
    longer_cell,
    reading=["as in the tables"],
    noise=["salt & pepper 40"],
    seed=DRAWS,
)
LONGER = grid(
    "guan-longer",
    longer_cell,
    reading=["positive"],
    noise=[f"Laplace {level}" for level in (40, 80, 120, 160, 200, 240, 280)],
    seed=DRAWS,
)
