"""The competitors of Guan et al., for their Tables II to IV and Figs. 6 and 7."""

from functools import partial

from rnmf_tutorial import L1NMF, NeNMF
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.published import guan
from studies import grid
from studies.guan.noise import NOISES, corrupted_orl
from studies.machinery.measures import agreement, clusters

RANK = 40

#: The competitors, each with the budget it gets: a sweep of one is not a sweep of
#: another.
METHODS = {
    "NeNMF": partial(NeNMF, max_iter=60, tol=0),
    "L21NMF": partial(guan.L21NMF, max_iter=300, tol=0),
    "RobustNMF": partial(guan.RobustNMF, lam=0.3, max_iter=300, tol=0),
    "L1NMF": partial(L1NMF, max_iter=30, tol=0),
    "HuberNMF": partial(guan.HuberNMF, max_iter=300, tol=0),
    "CIMNMF": partial(guan.CIMNMF, max_iter=300, tol=0),
}


def clustering_scores(F, target):
    """Return the accuracy and NMI of k-means on the rows of F, with both ways to divide it."""
    return agreement(target, clusters(F, target), nmi="max", nmi_mean="mean")


def scores(model, faces, A):
    """Fit, and return the relative error against the clean faces and the clustering scores."""
    F = model.fit_transform(A)
    return {
        "rre": relative_error(faces.data, model.inverse_transform(F)),
        **clustering_scores(F, faces.target),
        "objective": model.objective_history_[-1],
        "sweeps": model.n_iter_,
    }


def table_cell(seed, noise, method):
    """One run of one competitor; the seed draws the noise and the start."""
    faces, A = corrupted_orl(noise, seed)
    if method == "pixels":
        nothing = {"rre": None, "objective": None, "sweeps": None}
        return nothing | clustering_scores(A, faces.target)
    return scores(METHODS[method](RANK, random_state=seed), faces, A)


LIVE = {"noise": ["salt & pepper 20", "blocks 14"], "method": ["NeNMF", "HuberNMF"]}
EVERY = ["pixels", *METHODS]
TABLES = grid(
    "guan-tables", table_cell, LIVE, seed=range(10), noise=NOISES, method=EVERY
)
