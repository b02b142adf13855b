"""Where a fit starts: random factors, NNDSVD, and a robust start for a scale.

The published rules estimate the scale from the residuals after every sweep. If the data
can be fitted well, the scale collapses: as it falls, fewer entries keep their weight,
these are fitted better, and it falls again. A robust start avoids this: its scale is a
share of the median of the data, which does not depend on the fit. Its residuals are
then used once to estimate the noise, and the scale of the fit itself is a multiple of
this estimate.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.linalg import norm
from sklearn.utils import check_array, check_random_state
from sklearn.utils.extmath import randomized_svd

from rnmf_tutorial.arithmetic import positive_mean
from rnmf_tutorial.fitting import encode, flat_start, iterate, last_state
from rnmf_tutorial.losses import SQUARES, Huber, median

NNDSVD = ("nndsvd", "nndsvda", "nndsvdar")
# A robust start fits so many samples at most, which bounds its memory and time.
MOST_SAMPLES = 1000
# The cutoff, as a share of the median positive entry: small enough to limit gross
# errors, and large enough for fast convergence on exact data. It is larger for the
# divergence, which is for counts.
SHARE = 0.05
SHARE_OF_COUNTS = 0.16
# Sweeps of plain NMF lead away from a bad random start, but they also fit gross errors.
# So both are tried for some sweeps, and plain NMF is used only if the median residual
# is then much lower, as it is on clean data. (To take the start with the lower loss is
# worse: on Indian Pines with a tenth of the entries wrong it has 1.6 times the error.)
TRIAL_SWEEPS = 20
MUCH_LOWER = 0.75
# The limits of the robust fit, and the tolerance of the coefficients of all samples.
ROBUST_SWEEPS = 100
ROBUST_TOL = 1e-4
ROUGH_TOL = 1e-2
# Noise below this share of the mean of the positive data is too small to matter.
LEAST_NOISE = 1 / 400
# A residual beyond so many medians is a gross error.
GROSS = 6


class RobustStart(NamedTuple):
    """A robust start: where a model that estimates its scale begins.

    ``HuberNMF(init=start)`` begins there, and need not compute it. So a robust start
    can be shared by several fits to the same data: see
    :meth:`~rnmf_tutorial.base.BaseNMF.robust_start`.
    """

    #: The pair (W0, H0) from which it was computed.
    given: tuple
    W: np.ndarray
    H: np.ndarray
    #: The factors from which the next extrapolation leads on.
    last_update: tuple | None


def initialize(X, r, init="random", random_state=None, level=None):
    r"""Return the factors (W0, H0) of the start.

    Parameters
    ----------
    X : ndarray or csc_array of shape (n_features, n_samples)
        The data.
    r : int
        Number of components.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, (W0, H0) or RobustStart
        "random" draws both factors uniformly from (0, 1], scaled so that ``W0 @ H0``
        has the mean of X, in which negative entries count as zero. The NNDSVD variants
        (Boutsidis & Gallopoulos, 2008) are those of scikit-learn for X divided by the
        size of its largest entry, so that the unit of X does not matter. Zeros stay
        zeros ("nndsvd"), become the same mean of X ("nndsvda") or small random numbers
        ("nndsvdar"). All three use a randomized SVD, which depends on `random_state`. A
        pair of arrays of shapes (n_features, r) and (r, n_samples) is copied. Of a
        robust start, it is the pair that this was computed from.
    random_state : int, RandomState or None
    level : float, optional
        The mean of ``W0 @ H0`` for "random"; that of X by default.

    Returns
    -------
    W0 : ndarray of shape (n_features, r)
    H0 : ndarray of shape (r, n_samples)

    Raises
    ------
    ValueError
        If `init` is not one of these, or the pair has wrong shapes, negative or
        non-finite entries.

    Examples
    --------
    >>> W, H = initialize(np.ones((4, 6)), 2, random_state=0)
    >>> W.shape, H.shape, round(float((W @ H).mean()), 10)
    ((4, 2), (2, 6), 1.0)
    """
    if isinstance(init, RobustStart):
        init = init.given
    if isinstance(init, (tuple, list)):
        return _given_pair(X, r, init)
    if level is None:
        level = X.mean() if X.min() >= 0 else (abs(X) + X).mean() / 2
    if isinstance(init, str) and init in NNDSVD:
        return _nndsvd_pair(X, r, init, random_state, level)
    if not (isinstance(init, str) and init == "random"):
        raise ValueError(
            f"init={init!r} is not known; use 'random', one of {NNDSVD}, or (W0, H0)."
        )
    rng = check_random_state(random_state)
    # 1 - uniform lies in (0, 1]: the multiplicative updates never change a zero.
    W = (1 - rng.uniform(size=(X.shape[0], r))).astype(X.dtype)
    H = (1 - rng.uniform(size=(r, X.shape[1]))).astype(X.dtype)
    mean = (W.sum(axis=0) @ H.sum(axis=1)) / (X.shape[0] * X.shape[1])
    scale = np.sqrt(level / mean)
    return W * scale, H * scale


def _nndsvd_pair(X, r, init, random_state, level):
    """Return the larger half, positive or negative, of each singular pair."""
    unit = max(X.max(), -X.min()) or X.dtype.type(1)
    U, S, Vt = randomized_svd(X / unit, r, random_state=random_state)
    W = np.maximum(U, 0)
    H = np.maximum(Vt, 0)
    negative_W = np.maximum(-U, 0)
    negative_H = np.maximum(-Vt, 0)
    size = norm(W, axis=0) * norm(H, axis=1)
    negative = norm(negative_W, axis=0) * norm(negative_H, axis=1) >= size
    W = np.where(negative, negative_W, W)
    H = np.where(negative[:, None], negative_H, H)
    w = norm(W, axis=0)
    h = norm(H, axis=1)
    least = np.finfo(W.dtype).tiny
    # Zero if a half is zero: then the singular value is only rounding.
    root = np.sqrt(S * w * h)
    W = root / np.maximum(w, least) * W
    H = (root / np.maximum(h, least))[:, None] * H
    rng = check_random_state(random_state)
    for factor in (W, H):
        factor[factor < 1e-6] = 0
        zeros = factor == 0
        if init == "nndsvda":
            factor[zeros] = level / unit
        elif init == "nndsvdar":
            factor[zeros] = np.abs(
                level / unit * rng.standard_normal(zeros.sum()) / 100
            )
        factor *= np.sqrt(unit)
    return W.astype(X.dtype, copy=False), H.astype(
        X.dtype, copy=False
    )  # sparse data: in double


def _given_pair(X, r, pair):
    if len(pair) != 2:
        raise ValueError(f"init must hold two arrays (W0, H0); it holds {len(pair)}.")
    checks = {"dtype": X.dtype, "copy": True, "ensure_non_negative": True}
    factors = []
    wanted = ("W0", (X.shape[0], r)), ("H0", (r, X.shape[1]))
    for (name, shape), factor in zip(wanted, pair, strict=True):
        factors.append(check_array(factor, input_name=f"{name} in init", **checks))
        if factors[-1].shape != shape:
            raise ValueError(
                f"{name} in init has shape {factors[-1].shape}; it must be {shape}."
            )
    W, H = factors
    largest = float(W.max()) * float(H.max()) * r  # numbers of Python overflow silently
    limits = np.finfo(X.dtype)
    most = float(np.sqrt(float(limits.max) / (1e3 * W.shape[0] * H.shape[1])))
    if largest > most:
        raise ValueError(
            f"W0 @ H0 in init has entries up to {largest:.2g}, and squares in {X.dtype} "
            f"need at most {most:.0e}. Divide W0 or H0 by a number."
        )
    return W, H


def about_stuck(first, second, highest):
    """Return the text of an error if a start is zero, and stays so, or None.

    Parameters
    ----------
    first, second : State
        The start, and the state after the first sweep.
    highest : float
        The largest entry of the data: if it is zero, so is the best fit.

    Returns
    -------
    str or None
    """
    for state in (first, second):
        if state.W.any() and state.H.any():
            return None
    if not highest > 0:
        return None
    return (
        "init has zeros only in W0 or in H0, and the updates of this model cannot leave "
        "them. Give positive numbers, or init='random'."
    )


def are_alike(state):
    """Return whether a state has several components, and all are equal."""
    W, H = state.W, state.H
    if len(H) < 2:
        return False
    return np.allclose(W, W[:, :1], rtol=1e-6) and np.allclose(H, H[:1], rtol=1e-6)


# --------------------------------------------------------------- a robust start


def compute_robust_start(work, W, H, plain, solver, title=None):
    """Fit with Huber's loss, whose cutoff is a share of the data's median.

    1. Scale the start to the median of the data, because a few gross errors can determine
       their mean.
    2. Fit twice for some sweeps: from there, and from where some sweeps of plain NMF lead.
       Keep the second only if its median residual is lower by a quarter.
    3. Go on from the one that was kept.

    Of more than 1,000 samples, the fit uses 1,000 that are evenly spaced. Then all samples
    get the coefficients of the same loss for its basis.

    Parameters
    ----------
    work : Work
        The data.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        The start.
    plain : WeightedLoss
        The divergence, without φ.
    solver : Solver
        For these losses.
    title : str, optional
        The title of a progress bar.

    Returns
    -------
    RobustStart

    Raises
    ------
    ValueError
        If most data are too small for a cutoff.

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> from rnmf_tutorial.losses import WeightedLoss
    >>> from rnmf_tutorial.solvers import CoordinateDescent
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0])
    >>> X[1, 2] += 10
    >>> W0, H0 = np.ones((4, 1)), np.ones((1, 4))
    >>> start = compute_robust_start(Work(X), W0, H0, WeightedLoss(), CoordinateDescent())
    >>> np.argwhere(abs(X - start.W @ start.H) > 1).tolist()
    [[1, 2]]
    """
    n_samples = H.shape[1]
    if n_samples <= MOST_SAMPLES:
        end = robust_fit(work, W, H, plain, solver, title)
        return RobustStart((W, H), end.W, end.H, end.last_update)

    every = -(-n_samples // MOST_SAMPLES)
    some = slice(None, None, every)
    end = robust_fit(work.some(some), W, H[:, some], plain, solver, title)
    huber = end.loss
    basis = end.W
    del end  # it holds large arrays

    def update_H(work, W, H):
        return solver.update_H(work, huber, huber.compare(work, W, H))

    codes = flat_start(work, basis)
    limits = {"tol": ROUGH_TOL, "max_iter": TRIAL_SWEEPS}
    codes = encode(work, basis, codes, update_H, **limits)
    return RobustStart((W, H), basis, codes, None)


def robust_fit(work, W, H, plain, solver, title=None):
    """Return the last state of the Huber fit of :func:`compute_robust_start`."""
    known = work.known_entries()
    positive = known[known > 0]
    n_known = len(W) * H.shape[1] if work.mask is None else known.size
    n_positive = len(positive)
    level = float(np.median(positive, overwrite_input=True)) if n_positive else 1.0
    del known, positive  # they can be as large as the data

    # 1. Scale the start: the mean of WH becomes the median of the positive data times
    #    their share of the data.
    n_entries = len(W) * H.shape[1]
    mean = float(W.sum(axis=0) @ H.sum(axis=1)) / n_entries
    if mean > 0:
        factor = W.dtype.type(np.sqrt(level * (n_positive / n_known) / mean))
        W = factor * W
        H = factor * H

    divergence = plain.divergence
    share = SHARE if divergence is SQUARES else SHARE_OF_COUNTS
    # The divergence of a small residual `share * level`: its square, and for
    # Kullback-Leibler twice its divergence, share² level.
    energy = share**2 * level**divergence.power
    cutoff = energy ** (1 / divergence.power)
    if cutoff**2 < np.finfo(W.dtype).tiny:
        raise ValueError(
            f"Most data are as small as {level:g}: write NaN for the few large entries."
        )
    huber = replace(plain, phi=Huber(), scale=cutoff)

    # 2. Fit twice for some sweeps: from there, and from where plain NMF leads.
    trial = {"max_iter": TRIAL_SWEEPS, "tol": ROBUST_TOL, "title": title}
    straight = last_state(iterate(work, W, H, huber, solver, **trial))
    plain_end = last_state(iterate(work, W, H, plain, solver, max_iter=TRIAL_SWEEPS))
    W, H = plain_end.W, plain_end.H
    after_plain = last_state(iterate(work, W, H, huber, solver, **trial))

    # Compare the two by their median energies.
    energies, _ = huber.used_energies(work, straight.W, straight.H)
    straight_energy = median(energies)
    energies, _ = huber.used_energies(work, after_plain.W, after_plain.H)
    lower = median(energies) < MUCH_LOWER**2 * straight_energy
    best = after_plain if lower else straight

    # 3. Go on from the one that is kept.
    limits = {"max_iter": ROBUST_SWEEPS, "tol": ROBUST_TOL, "title": title}
    return last_state(iterate(work, best.W, best.H, huber, solver, **limits))


def noise_scale(work, W, H, phi, plain):
    r"""Return the scale of φ for the noise at W and H: a multiple of the median \|e\|.

    So that gross errors do not raise it, the median is repeated without the residuals
    above six times its last value. Zeros that are fitted as zeros are left out. The
    median is at least 1/400 of the mean of the positive data.

    Parameters
    ----------
    work : Work
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    phi : Curve
        With its `multiple`.
    plain : WeightedLoss
        The divergence, without φ.

    Returns
    -------
    float
        In the units of the data.

    Raises
    ------
    ValueError
        If φ has no `multiple`.

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> from rnmf_tutorial.losses import WeightedLoss
    >>> work = Work(10 + np.array([[0.1, -0.2, 0.3, 0.2, 7.0]]))
    >>> W, H = np.ones((1, 1)), np.full((1, 5), 10.0)
    >>> round(noise_scale(work, W, H, Huber(), WeightedLoss()), 3)
    0.3
    """
    if not hasattr(phi, "multiple"):
        raise ValueError(
            f"scale=None asks {type(phi).__name__} for a `multiple` of the median error; "
            "give it one, or give the scale as a number."
        )
    divergence = plain.divergence
    energies, _ = replace(plain, phi=phi).used_energies(work, W, H)
    u = energies.ravel(order="K")
    size = float(median(u))
    before = np.inf
    while size < before:  # an energy is a residual to the power of the divergence
        before = size
        size = float(median(u[u <= GROSS**2 * size]))
    mean = positive_mean(work.known_entries())
    size = max(size, LEAST_NOISE**2 * mean**divergence.power)
    return (phi.multiple**2 * size) ** (1 / divergence.power)
