r"""The models with a graph, with columns of W that keep the length one: our own repair.

The published objectives fall when W grows and H shrinks, so the graph loses its effect
(the chapter's lemma "The scale escapes"). Here the coefficients are measured in columns
of length one. That is the same as a graph term in which row k of H has the factor
:math:`\lVert w_k\rVert^2`:

.. math:: \mathcal D(X, WH) + \frac\lambda2 \sum_k \lVert w_k\rVert^2\, h_k L h_k^T ,

where :math:`w_k` is column k of W and :math:`h_k` row k of H. It does not change if
:math:`w_k` is multiplied by a number and :math:`h_k` is divided by it.

The draws are those of Tables 1 to 3 of this study, with one start for each seed and 200
sweeps. The main reading of the coefficients is the one of the other tables
(`both_pinv`). CSNMF has both ranges of the pixels. MCCGR has [0, 1] alone, because on
bytes its λ would be 65025. The λ that is called "best" maximizes the mean accuracy of
the main reading in the grid over λ, whose splits no table uses.

The rows were computed in two rounds. The first round was declared before any of its
results were looked at. It has all sizes and ranks of Yale, and on ORL five training
images with the ranks 30 and 60. (The ranks of ORL above 60 were dropped for want of
time, when the results on Yale and a part of those on ORL had been seen.)

The second round completes the tables. It was declared when the results of the first
round were known, and before any of its own were. On ORL and UMIST it has all sizes and
ranks of the tables with columns of any length. Three choices follow those tables. Each
method is judged at its best rank. A sentence counts as reproduced only if it holds in
both ranges of the pixels, by the rule of `machinery.rule`. UMIST has another size of
the images than the paper, so it can neither confirm nor refute.

Ten draws were declared for every cell, and on ORL also the ranks that Table 3 prints.
There was no processor time for that. So every cell of ORL has the first five of the ten
draws, every cell of UMIST the first three, and the printed ranks were left out. None of
the results of the second round had been looked at when this was decided. ORL with five
training images and the ranks 30 and 60 still has all ten draws, in a grid of its own.
"""

from itertools import islice

import numpy as np

from rnmf_tutorial.arithmetic import ratio, unit_columns
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.models.graphs import LabelGraph, NeighborGraph
from rnmf_tutorial.starts import initialize
from studies.cheng.cells import N_TRAIN, PAPER_LAM, RECORDED, SWEEPS, accuracies, halves


def energies(E, loss):
    """Return the squared errors that share a weight: of entries, or of whole features."""
    if loss == "features":
        return (E**2).sum(axis=1, keepdims=True)
    return E**2


def kernel_size(E, loss):
    """Return σ² by (23), half the mean of the energies; squares have none."""
    return None if loss == "squares" else energies(E, loss).mean() / 2


def weights(E, loss, sigma2):
    """Return the weights Q, one for squares."""
    if loss == "squares":
        return np.ones((1, 1))
    return np.exp(-energies(E, loss) / (2 * sigma2))


def weight_of_graph(X, loss, sigma2, lam):
    """Return μ, the weight of the graph next to half the weighted squares."""
    if loss == "squares":
        return lam
    return lam * sigma2 * (X.size if loss == "entries" else 1)


def scatter(H, graph):
    """Return h L hᵀ for each row h of H; rounding must not make it negative."""
    return np.maximum(np.sum(H * (H * graph.degrees - graph.sums(H)), axis=1), 0)


def objective(X, W, H, graph, loss, lam, sigma2=None):
    """Return the objective, in which the lengths of the columns of W do not count."""
    E = X - W @ H
    spread = np.sum((W**2).sum(axis=0) * scatter(H, graph))
    if loss == "squares":
        return np.sum(E**2) / 2 + lam / 2 * spread
    costs = 1 - weights(E, loss, sigma2)
    value = costs.mean() if loss == "entries" else costs.sum()
    return value + lam / 2 * spread


def graph_nmf_unit(X, W, H, graph, loss, lam, sigma2=None):
    """Yield W, with columns of length one, and H after each sweep.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    graph : LabelGraph or NeighborGraph
    loss : {"squares", "entries", "features"}
        SNMF has squares, CSNMF a correntropy weight for each entry, MCCGR one for each
        feature.
    lam : float
    sigma2 : float, optional
        A fixed σ². By default it is (23), computed again after each sweep.
    """
    estimated = sigma2 is None
    W, H = unit_columns(W, H)
    E = X - W @ H
    while True:
        if estimated:
            sigma2 = kernel_size(E, loss)  # (23)
        mu = weight_of_graph(X, loss, sigma2, lam)
        Q = weights(E, loss, sigma2)
        up = W.T @ (Q * X) + mu * graph.sums(H)
        down = W.T @ (Q * (W @ H)) + mu * H * graph.degrees
        H = H * ratio(up, down)  # (21)
        Q = weights(X - W @ H, loss, sigma2)
        up = (Q * X) @ H.T
        down = (Q * (W @ H)) @ H.T + mu * W * scatter(H, graph)  # the new term
        W = W * ratio(up, down)  # (22)
        W, H = unit_columns(W, H)
        E = X - W @ H
        yield W, H


#: Method -> loss and λ on pixels in [0, 1]. CIM-NMF has no graph, so only the lengths
#: of its columns differ from those of the other tables. On bytes H is 255 times as
#: large, so a robust loss has 255² times the λ. SNMF's loss grows as its graph does.
METHODS = {
    "CIMNMF": ("entries", 0.0),
    "MCCGR": ("features", 1.0),
    "SupervisedNMF": ("squares", PAPER_LAM),
    "CSNMF": ("entries", PAPER_LAM),
    "CSNMF, bytes": ("entries", 255.0**2 * PAPER_LAM),
}


def run_of(method, A, y, r, seed, lam=None):
    """Return the sweeps of a method from the start that the published one has."""
    loss, printed = METHODS[method]
    graph = NeighborGraph(A) if loss == "features" else LabelGraph(y)
    W, H = initialize(A.T, r, random_state=seed)
    lam = printed if lam is None else lam
    return graph_nmf_unit(A.T, W, H, graph, loss, lam)


def scores(sweeps, faces):
    """Return the accuracies after 200 sweeps, the relative error, and the size of H."""
    W, H = next(islice(sweeps, SWEEPS - 1, None))
    return {
        **accuracies(W.T, H.T, *faces),
        "rre": relative_error(faces[0], (W @ H).T),
        "size": float(np.linalg.norm(H)),
    }


def unit_cell(data, n_train, r, seed, method):
    """One run of Table 1 or 3 with columns of length one."""
    faces = halves(data, n_train, seed)
    return scores(run_of(method, *faces[:2], r, seed), faces)


def unit_lam_cell(data, lam, seed, method):
    """Fit with another weight of the graph; r = 60, the middle training size."""
    faces = halves(data, N_TRAIN[data], seed)
    return scores(run_of(method, *faces[:2], 60, seed, lam), faces)


#: The λ with the best mean accuracy in the grid above.
UNIT_BEST_LAM = {"SupervisedNMF": 0.1, "CSNMF": 1e-4}


def unit_best_cell(data, seed, method):
    """Fit with the best λ, on the splits of the tables; r = 60, the middle training size."""
    faces = halves(data, N_TRAIN[data], seed)
    lam = UNIT_BEST_LAM[method]
    return scores(run_of(method, *faces[:2], 60, seed, lam), faces)


def unit_sweeps_cell(data, seed, method):
    """Watch the graph term over the sweeps; r = 40, the middle training size."""
    faces = halves(data, N_TRAIN[data], seed)
    X = faces[0].T
    graph = LabelGraph(faces[1])
    loss, lam = METHODS[method]
    rows = []
    sweeps = run_of(method, *faces[:2], 40, seed)
    for number, (W, H) in enumerate(islice(sweeps, RECORDED[-1]), start=1):
        if number not in RECORDED:
            continue
        sigma2 = kernel_size(X - W @ H, loss)
        found = accuracies(W.T, H.T, *faces)
        row = {
            "sweep": number,
            "size": float(np.linalg.norm(H)),
            "objective": float(objective(X, W, H, graph, loss, lam, sigma2)),
            "graph": float(lam / 2 * scatter(H, graph).sum()),
        }
        rows.append(row | {name: found[name] for name in ("fit_pinv", "both_pinv")})
    return rows
