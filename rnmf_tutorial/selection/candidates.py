"""The models that a search tries if it is given none."""

import numpy as np

from rnmf_tutorial import (
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    WindowNMF,
)
from rnmf_tutorial.selection.noise import noise_scale

__all__ = ["default_candidates"]

#: What the default candidates have in common.
OPTIONS = {"solver": "cd", "max_iter": 100, "tol": 1e-4}

#: Loss -> the multiples of the noise scale that are tried.
MULTIPLES = {HuberNMF: (0.25, 1), CauchyNMF: (0.5, 1, 2)}


def default_candidates(A, n_components, random_state=None, shape=None):
    """Return plain NMF, Huber's and Cauchy's losses at multiples of the noise scale, and a capped.

    All start at the same random factors: from those of a plain fit, or of Huber's loss, the losses
    that let go of large errors stay with what it had learned. With the shape of a sample there is a
    model of windows, too.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        Non-negative; NaN, or what a masked array hides, is missing.
    n_components : int or sequence of int
        The rank, or the ranks to try.
    random_state : int or None
        The seed of every candidate.
    shape : tuple of int or None, default=None
        Of a sample, for a model whose neighboring entries share their weights.

    Returns
    -------
    dict
        Name -> unfitted estimator. A name has the rank, the class, and the multiple of the scale.

    Examples
    --------
    >>> A = np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> list(default_candidates(A, 3, random_state=0))[:3]
    ['NMF, r = 3', 'CappedNMF, r = 3', 'HuberNMF, r = 3, 0.25 σ']
    """
    candidates = {}
    for r in np.atleast_1d(n_components).tolist():
        options = OPTIONS | {"n_components": r, "random_state": random_state}
        candidates[f"NMF, r = {r}"] = NMF(**options)
        candidates[f"CappedNMF, r = {r}"] = CappedNMF(**options)
        sigma = noise_scale(A, r, random_state)
        for model, multiples in MULTIPLES.items():
            for k in multiples:
                candidates[f"{model.__name__}, r = {r}, {k:g} σ"] = model(
                    scale=k * sigma, **options
                )
        if shape is not None:
            windows = {key: options[key] for key in ("max_iter", "tol", "random_state")}
            candidates[f"WindowNMF, r = {r}"] = WindowNMF(r, shape=tuple(shape), **windows)
    return candidates
