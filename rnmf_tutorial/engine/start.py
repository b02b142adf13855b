"""Where the iterations start."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd

from rnmf_tutorial.stored import stored, with_stored

__all__ = ["initialize", "median_start"]

NNDSVD = ("nndsvd", "nndsvda", "nndsvdar")


def initialize(X, r, init="random", random_state=None, level=None):
    r"""Return the start point (W0, H0).

    Parameters
    ----------
    X : ndarray or csc_array of shape (n_features, n_samples)
        Non-negative data.
    r : int
        Number of components.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        "random" draws both factors uniformly from (0, 1], scaled so that ``W0 @ H0`` has the
        mean of X. The NNDSVD variants (Boutsidis & Gallopoulos, 2008) are those of scikit-learn
        on data whose largest entry is 1, so that every unit has the same start: zeros stay zeros
        ("nndsvd"), become the mean of X ("nndsvda") or small random numbers ("nndsvdar"). All
        three depend on `random_state`, through a randomized SVD.
        A pair of arrays of shapes (n_features, r) and (r, n_samples) is copied.
    random_state : int, RandomState or None
    level : float, optional
        The mean of X, if it is at hand: of X, "random" then asks for the shape and dtype alone.

    Returns
    -------
    W0 : ndarray of shape (n_features, r)
    H0 : ndarray of shape (r, n_samples)

    Raises
    ------
    ValueError
        If `init` is not one of these, or the pair has wrong shapes, negative or non-finite
        entries.

    Examples
    --------
    >>> import numpy as np
    >>> W, H = initialize(np.ones((4, 6)), 2, random_state=0)
    >>> W.shape, H.shape, round(float((W @ H).mean()), 10)
    ((4, 2), (2, 6), 1.0)
    """
    if isinstance(init, (tuple, list)):
        return _given_pair(X, r, init)
    if isinstance(init, str) and init == "random":
        return _random_pair(X, r, random_state, X.mean() if level is None else level)
    if isinstance(init, str) and init in NNDSVD:
        return _nndsvd_pair(X, r, init, random_state)
    raise ValueError(
        f"init={init!r} is not known; use 'random', {', '.join(map(repr, NNDSVD))}, "
        "or a pair (W0, H0) of arrays."
    )


def median_start(X, r, random_state=None):
    r"""Return the start point "random", scaled so that ``W0 @ H0`` has the median of X as its mean.

    Where large outliers are many, the mean of X lies above most clean entries, and so does a
    start with that mean: a model that cuts errors off may never come down.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Non-negative data. If their median is 0, the mean is taken.
    r : int
        Number of components.
    random_state : int, RandomState or None

    Returns
    -------
    W0 : ndarray of shape (n_features, r)
    H0 : ndarray of shape (r, n_samples)
        For a model's `init`.

    Examples
    --------
    >>> import numpy as np
    >>> W, H = median_start(np.array([[1.0, 1.0, 50.0]]), 1, random_state=0)
    >>> round(float((W @ H).mean()), 10)
    1.0
    """
    return _random_pair(X, r, random_state, level=np.median(X) or X.mean())


def _random_pair(X, r, random_state, level):
    rng = check_random_state(random_state)
    # 1 - uniform lies in (0, 1]: an exact zero would never leave zero again.
    W = (1 - rng.uniform(size=(X.shape[0], r))).astype(X.dtype)
    H = (1 - rng.uniform(size=(r, X.shape[1]))).astype(X.dtype)
    mean = (W.sum(axis=0) @ H.sum(axis=1)) / (X.shape[0] * X.shape[1])
    scale = np.sqrt(level / mean)
    return W * scale, H * scale


def _nndsvd_pair(X, r, init, random_state):
    """Return the larger half, positive or negative, of each singular pair."""
    unit = X.max() or X.dtype.type(1)
    of_unit_size = with_stored(X, stored(X) / unit)
    U, S, Vt = randomized_svd(of_unit_size, r, random_state=random_state)
    W, H = np.zeros_like(U), np.zeros_like(Vt)
    for k in range(r):
        halves = [
            (np.maximum(u, 0), np.maximum(v, 0)) for u, v in ((U[:, k], Vt[k]), (-U[:, k], -Vt[k]))
        ]
        lengths = [(np.linalg.norm(w), np.linalg.norm(h)) for w, h in halves]
        best = int(np.prod(lengths[1]) >= np.prod(lengths[0]))
        (w, h), (length_w, length_h) = halves[best], lengths[best]
        if length_w > 0 and length_h > 0:  # neither half may have anything: the value is rounding
            W[:, k] = np.sqrt(S[k] * length_h / length_w) * w
            H[k] = np.sqrt(S[k] * length_w / length_h) * h
    rng = check_random_state(random_state)
    for factor in (W, H):
        factor[factor < 1e-6] = 0
        zeros = factor == 0
        if init == "nndsvda":
            factor[zeros] = X.mean() / unit
        elif init == "nndsvdar":
            factor[zeros] = np.abs(X.mean() / unit * rng.standard_normal(zeros.sum()) / 100)
        factor *= np.sqrt(unit)
    return W, H


def _given_pair(X, r, pair):
    if len(pair) != 2:
        raise ValueError(f"init must hold two arrays (W0, H0); it holds {len(pair)}.")
    factors = []
    shapes = {"W0": (X.shape[0], r), "H0": (r, X.shape[1])}
    for (name, shape), factor in zip(shapes.items(), pair, strict=True):
        if np.iscomplexobj(factor):
            raise ValueError(f"{name} in init must be real.")
        factor = np.array(factor, dtype=X.dtype)
        if factor.shape != shape:
            raise ValueError(
                f"{name} in init has shape {factor.shape}; it must be {shape}: "
                "W0 is (n_features, n_components), H0 is (n_components, n_samples)."
            )
        if not np.isfinite(factor).all() or factor.min() < 0:
            raise ValueError(f"{name} in init must be finite and non-negative.")
        factors.append(factor)
    return tuple(factors)
