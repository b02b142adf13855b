"""Each published class makes the iterates of its paper's box, or of the formula written here.

One table for all: on data without zeros and on data with rows and columns of zeros, in
units from 1e-6 to 1e6. `papers` has no box for the models of which the papers print only
the loss (HuberNMF, CIMNMF, CauchyNMF, HypersurfaceNMF and CappedNMF of Table I, MCCGR,
MD-NMF and RMNMF of Cheng et al.), and none for NeNMF and L1NMF, which have papers of
their own. Their formulas are written out below.
"""

from functools import partial
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
import pytest

from rnmf_tutorial import published
from rnmf_tutorial.models.graphs import NeighborGraph
from rnmf_tutorial.papers import cheng, diaz, divide, guan, lee, regularized, zhang

#: The sweeps whose factors are compared, and to how many digits.
SWEEPS = [1, 5, 20]
TOLERANCE = 1e-10
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 5])  # the last one is alone in its class


def problem(zeros, unit):
    """Return data with a gross error, with or without zeros, and a start."""
    rng = np.random.default_rng(0)
    X = rng.random((9, 3)) @ rng.random((3, 12)) + 0.1 * rng.random((9, 12))
    X[2, 3] += 3
    if zeros:
        X[rng.random((9, 12)) < 0.2] = 0
        X[[5, 8]] = 0
        X[:, [4, 7]] = 0
    W = rng.uniform(0.1, 1, (9, 3))
    H = rng.uniform(0.1, 1, (3, 12))
    return unit * X, np.sqrt(unit) * W, np.sqrt(unit) * H


# ------------------------------------------------------------- what the papers leave open


def shen(X, W, H, lam):
    """Shen's box from the estimator's P and N: the paper's are random.

    They are a little above the two parts of the best S, and zero where X has only
    zeros.
    """
    E = X - W @ H
    sizes = -np.sort(-np.abs(E), axis=0)
    places = np.arange(1, len(X) + 1)[:, None]
    threshold = (sizes.cumsum(axis=0) / (places + 1 / lam)).max(axis=0)
    S = zhang.soft_threshold(E, threshold)
    margin = np.outer(X.sum(axis=1), X.sum(axis=0)) / (100 * X.sum())
    P = np.maximum(S * (margin > 0), 0) + margin
    N = np.maximum(-S * (margin > 0), 0) + margin
    return diaz.shen(X, W, H, P, N, lam)


def two_lengths(X, lam):
    """Return the rule for μ: 1.9 times a safe length, or that if (10) would rise."""

    def mu(W, H):
        HHt = H @ H.T
        safe = 1 / largest_eigenvalue(HHt)
        G = (W @ H - X) @ H.T + lam
        D = regularized.unit_columns(W - 1.9 * safe * G) - W
        rises = np.vdot(G, D) + np.vdot(D @ HHt, D) / 2 > 0
        return safe if rises else 1.9 * safe

    return mu


def regularized_nmf(X, W, H, lam):
    return regularized.regularized_nmf(X, W, H, lam, two_lengths(X, lam))


def largest_eigenvalue(G):
    """Return Collatz' and Wielandt's upper bound after four steps of the power method."""
    v = np.ones(len(G))
    for _ in range(4):
        v = G @ v
        v = divide(v, v.max())
    return divide(G @ v, v).max()


# --------------------------------------------------------------- formulas without a box


def half_quadratic(X, W, H, scale, weights):
    """Update H, then W, each by new weights; the scale is found after each pass."""
    size = None
    while True:
        size = scale(X - W @ H, size)
        Q = weights(X - W @ H, size)
        H = H * divide(W.T @ (Q * X), W.T @ (Q * (W @ H)))
        Q = weights(X - W @ H, size)
        W = W * divide((Q * X) @ H.T, (Q * (W @ H)) @ H.T)
        yield W, H


def huber(X, W, H):
    """The cutoff is the median of all absolute errors (section 4.7 of Guan et al.)."""

    def median(E, before):
        return np.median(np.abs(E))

    def weights(E, c):
        return np.minimum(1, divide(c, np.abs(E)))

    return half_quadratic(X, W, H, median, weights)


def hypersurface(X, W, H):
    """The weights of Table I, where the scale is one."""
    return half_quadratic(
        X, W, H, lambda E, before: 1.0, lambda E, c: 1 / np.sqrt(1 + E**2)
    )


def cauchy(X, W, H):
    """Nagy's iteration (18) over all errors, and the weights of lines 2 and 7."""
    return half_quadratic(X, W, H, guan.nagy, guan.cauchy)


def capped(X, W, H):
    """Kong's updates; beyond θ the weight is nearly zero, where zero would give 0/0.

    θ is three times the median length, without samples of zeros that are fitted as
    zeros: the papers give no rule.
    """
    while True:
        lengths = np.linalg.norm(X - W @ H, axis=0)
        counted = X.any(axis=0) | (lengths > np.finfo(float).eps * X.max())
        theta = 3 * np.median(lengths[counted])
        q = np.where(lengths <= theta, divide(1, lengths), 1e-100 / lengths.max())
        D = np.diag(q)
        W = W * divide(X @ D @ H.T, W @ H @ D @ H.T)
        H = H * divide(W.T @ X @ D, W.T @ W @ H @ D)
        yield W, H


def nenmf(X, W, H):
    """Algorithm 1 with weights one, for all columns of H, then for all rows of W."""
    while True:
        H = least_squares(X, W, H)
        W = least_squares(X.T, H.T, W.T).T
        yield W, H


def least_squares(X, W, H):
    """Take up to thirty steps, until the slope has fallen to a tenth."""
    K = W.T @ W
    B = W.T @ X
    L = largest_eigenvalue(K)
    H = np.where(B > 0, H, 0)
    target = 0.1 * np.linalg.norm(guan.projected_gradient(K @ H - B, H)) / L
    Z = H
    alpha = 1.0
    for _ in range(30):
        H_old = H
        H = np.maximum(Z - (K @ Z - B) / L, 0)
        if np.linalg.norm(Z - H) <= target:
            break
        if np.vdot(Z - H, H - H_old) > 0:
            alpha = 1.0
        alpha_old = alpha
        alpha = (1 + np.sqrt(1 + 4 * alpha**2)) / 2
        Z = H + (alpha_old - 1) / alpha * (H - H_old)
    return H


def l1_nmf(X, W, H):
    """Twenty Nesterov steps per factor, on absolute values smoothed within ±μ."""
    first = np.abs(X - W @ H).mean()
    for done in count():
        mu = first * 1e-3 ** min(done / 60, 1)
        H = least_smoothed(X, W, H, mu)
        W = least_smoothed(X.T, H.T, W.T, mu).T
        yield W, H


def least_smoothed(X, W, H, mu):
    """Return H after the steps; a column stays if its absolute errors did not fall."""
    L = largest_eigenvalue(W.T @ W)
    new = np.where(X.any(axis=0), H, 0)
    Z = new
    alpha = np.ones(X.shape[1])
    for _ in range(20):
        old = new
        new = np.maximum(Z + W.T @ np.clip(X - W @ Z, -mu, mu) / L, 0)
        alpha[((Z - new) * (new - old)).sum(axis=0) > 0] = 1
        alpha_old = alpha
        alpha = (1 + np.sqrt(1 + 4 * alpha**2)) / 2
        Z = new + (alpha_old - 1) / alpha * (new - old)
    errors = np.abs(X - W @ H).sum(axis=0)
    falls = np.abs(X - W @ new).sum(axis=0) < errors
    return np.where(falls, new, H)


def mccgr(X, W, H, lam):
    """(21) and (22) with the weights of (4); (23) with rows in place of entries."""
    A = NeighborGraph(X.T).affinity.toarray()
    while True:
        lengths = np.linalg.norm(X - W @ H, axis=1, keepdims=True)
        variance = (lengths**2).sum() / (2 * len(X))
        Q = np.exp(-(lengths**2) / (2 * variance)) * np.ones_like(X)
        H = cheng.update_H(X, W, H, Q, A, lam, variance)
        lengths = np.linalg.norm(X - W @ H, axis=1, keepdims=True)
        Q = np.exp(-(lengths**2) / (2 * variance)) * np.ones_like(X)
        W = cheng.update_W(X, W, H, Q)
        yield W, H


def md_nmf(X, W, H, lam):
    """Every entry of H is the root of its quadratic slope; W is that of (5)."""
    A = NeighborGraph(X.T, y=Y).affinity.toarray()
    D = A.sum(axis=0)
    while True:
        pull = H * (W.T @ divide(X, W @ H) + lam * H @ A)
        push = W.sum(axis=0)[:, None]
        H = divide(2 * pull, push + np.sqrt(push**2 + 4 * lam * D * pull))
        W = W * divide(divide(X, W @ H) @ H.T, H.sum(axis=1))
        yield W, H


def rmnmf(X, W, H, lam):
    """(18) of Díaz et al. with the slope 2λHL of the graph in the update of H."""
    A = NeighborGraph(X.T).affinity.toarray()
    while True:
        D = np.diag(divide(1, np.linalg.norm(X - W @ H, axis=0)))
        W = W * divide(X @ D @ H.T, W @ H @ D @ H.T)
        up = W.T @ X @ D + 2 * lam * H @ A
        down = W.T @ W @ H @ D + 2 * lam * H @ np.diag(A.sum(axis=0))
        H = H * divide(up, down)
        yield W, H


# ------------------------------------------------------------------------- the table


class Row(NamedTuple):
    """A published class, and what gives its iterates."""

    paper: str
    name: str
    #: ``reference(X, W, H, **options)`` yields W, H and more after each pass.
    reference: Any
    #: Parameters of both, for data of the unit one.
    options: dict = {}  # noqa: RUF012 - never changed
    #: The power of the unit of the data that a parameter has.
    powers: dict = {}  # noqa: RUF012 - never changed
    #: Parameters of the class alone.
    own: dict = {}  # noqa: RUF012 - never changed
    #: The norm that the columns of W have at the start, or None.
    norm: int | None = None


KL = {"loss": "kullback-leibler"}
csnmf = partial(cheng.csnmf, y=Y)
snmf = partial(cheng.snmf, y=Y)


def fixed_size(X, W, H, lam, scale):
    """Cheng's box with a given σ."""
    return csnmf(X, W, H, lam=lam, size=lambda E: scale)


ROWS = [
    Row("lee", "NMF", lee.euclid),
    Row("lee", "NMF", lee.divergence, own=KL),
    Row("zhang", "RobustNMF", zhang.robust_nmf, {"lam": 0.05}, {"lam": 1}),
    Row("zhang", "RobustNMF", zhang.robust_nmf, {"lam": 1.0}, {"lam": 1}),
    Row("diaz", "L21NMF", diaz.kong),
    Row("diaz", "L1RobustNMF", partial(shen, lam=0.04)),
    Row("diaz", "L1RobustNMF", shen, {"lam": 0.7}),
    Row("regularized", "NMF", partial(regularized.rule_1, norm=1)),
    Row("regularized", "NMF", regularized.rule_1, own={"normalize": "l2"}),
    Row("regularized", "NMF", partial(regularized.rule_2, norm=1), own=KL),
    Row("regularized", "NMF", regularized.rule_2, own={"normalize": "l2"} | KL),
    Row("regularized", "LocalNMF", regularized.lnmf, norm=1),
    Row(
        "regularized",
        "RegularizedNMF",
        regularized_nmf,
        {"lam": 0.1},
        {"lam": 2},
        norm=2,
    ),
    Row("guan", "HuberNMF", huber),
    Row("guan", "HypersurfaceNMF", hypersurface),
    Row("guan", "CauchyNMF", cauchy),
    Row("guan", "CIMNMF", partial(csnmf, lam=0)),
    Row("guan", "CappedNMF", capped),
    Row("guan", "TruncatedCauchyNMF", guan.truncated_cauchy),
    Row("guan", "NeNMF", nenmf),
    Row("guan", "L1NMF", l1_nmf),
    Row("cheng", "CSNMF", partial(csnmf, lam=1e-5)),
    Row("cheng", "CSNMF", csnmf, {"lam": 1e-2}, {"lam": -1}),
    Row(
        "cheng",
        "CSNMF",
        fixed_size,
        {"lam": 1e-2, "scale": 0.5},
        {"lam": -1, "scale": 1},
    ),
    Row("cheng", "SupervisedNMF", partial(snmf, lam=1e-5)),
    Row("cheng", "SupervisedNMF", snmf, {"lam": 0.1}, {"lam": 1}),
    Row("cheng", "MCCGR", partial(mccgr, lam=1.0)),
    Row("cheng", "ManifoldDiscriminativeNMF", partial(md_nmf, lam=1e-5)),
    Row("cheng", "ManifoldDiscriminativeNMF", md_nmf, {"lam": 0.1}),
    Row("cheng", "RobustManifoldNMF", partial(rmnmf, lam=1e-5)),
    Row("cheng", "RobustManifoldNMF", rmnmf, {"lam": 0.1}),
]


def named(row):
    options = row.options | row.own
    given = ", ".join(f"{name}={value}" for name, value in options.items())
    return f"{row.paper}.{row.name}({given})"


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("zeros", [False, True], ids=["complete", "zeros"])
@pytest.mark.parametrize(
    "row",
    [
        # Guan et al.'s passes take long, and `test_papers` compares eight of them.
        pytest.param(row, marks=[pytest.mark.long] * (row.name == "TruncatedCauchyNMF"))
        for row in ROWS
    ],
    ids=named,
)
def test_published_makes_the_iterates_of_the_paper(row, zeros, unit):
    X, W, H = problem(zeros, unit)
    if row.norm is not None:
        d = np.linalg.norm(W, row.norm, axis=0)
        W, H = W / d, H * d[:, None]
    options = {
        name: value * unit ** row.powers.get(name, 0)
        for name, value in row.options.items()
    }
    Model = getattr(getattr(published, row.paper), row.name)
    model = Model(3, init=(W, H), max_iter=max(SWEEPS), tol=0, **options, **row.own)
    _, *ours = model.sweeps(X.T, Y)
    theirs = list(islice(row.reference(X, W, H, **options), max(SWEEPS)))
    for k in SWEEPS:
        for our, their in (
            (ours[k - 1].W, theirs[k - 1][0]),
            (ours[k - 1].H, theirs[k - 1][1]),
        ):
            error = np.abs(our - their).max() / np.abs(their).max()
            assert error < TOLERANCE, (k, error)


def test_every_published_class_is_in_the_table():
    kinds = {
        getattr(paper, name)
        for paper in published.PAPERS.values()
        for name in paper.__all__
    }
    compared = {getattr(published.PAPERS[row.paper], row.name) for row in ROWS}
    assert not {kind.__name__ for kind in kinds - compared}


# ------------------------------------------------------- the stopping rules of the papers


def test_cheng_stops_by_the_change_since_the_start():
    """Below (23): |F' - F| / |F' - F⁰| < tol; line 5 of Algorithm 1 returns U and V."""
    X, W, H = problem(zeros=False, unit=1.0)
    tol = 1e-3
    passes = islice(csnmf(X, W, H, lam=1e-5), 500)
    ended = list(passes)
    start = cheng.csnmf_objective(X, W, H, Y, 1e-5, cheng.kernel_size(X - W @ H))
    values = [start]
    for one in ended:
        values.append(cheng.csnmf_objective(X, one.W, one.H, Y, 1e-5, one.sigma))
    changes = np.abs(np.diff(values))
    since_start = np.abs(np.subtract(values[1:], start))
    expected = 1 + np.flatnonzero(changes[1:] < tol * since_start[1:])[0] + 1
    model = published.cheng.CSNMF(3, init=(W, H), tol=tol)
    *_, last = model.sweeps(X.T, Y)
    assert last.number == expected < 500
    np.testing.assert_allclose(last.H, ended[expected - 1].H, rtol=1e-9)
    relative = changes / np.abs(values[:-1])
    assert np.flatnonzero(relative < tol)[0] + 1 != expected


def test_zhang_makes_as_many_sweeps_as_it_is_told():
    """Algorithm 1 has their number t as an input, and no other rule."""
    X, W, H = problem(zeros=False, unit=1.0)
    model = published.zhang.RobustNMF(3, lam=1.0, init=(W, H), max_iter=700)
    assert model.fit(X.T).n_iter_ == 700
