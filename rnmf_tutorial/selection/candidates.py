"""The models that a search tries if it is given none."""

import numpy as np

from rnmf_tutorial.estimators import (
    CIMNMF,
    NMF,
    CauchyNMF,
    HuberNMF,
    TruncatedCauchyNMF,
    noise_size,
)
from rnmf_tutorial.validation import as_floats

__all__ = ["default_candidates", "noise_scale"]

#: What the default candidates have in common.
OPTIONS = {"solver": "cd", "max_iter": 100, "tol": 1e-4}

#: Loss -> the multiples of the noise scale that are tried; a threshold is three times its scale.
MULTIPLES = {
    HuberNMF: (0.25, 0.5, 1, 2),
    CauchyNMF: (0.5, 1, 2),
    CIMNMF: (2, 4),
    TruncatedCauchyNMF: (2, 4),
}


def noise_scale(A, n_components, random_state=None):
    r"""Return the deviation that the residuals of a plain fit would have if they were Gaussian.

    1.4826 times :func:`~rnmf_tutorial.estimators.noise_size`.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        Non-negative; NaN, or what a masked array hides, is missing.
    n_components : int
        The rank.
    random_state : int, RandomState or None
        The seed of the start.

    Returns
    -------
    float
        In the units of the data.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A = 5 + 0.1 * rng.standard_normal((100, 80))
    >>> round(noise_scale(A, 1, 0), 2)
    0.1
    """
    A = as_floats(A, "noise_scale")
    return 1.4826 * noise_size(A, n_components, random_state=random_state)


def default_candidates(A, n_components, random_state=None):
    """Return plain, Huber's, Cauchy's, CIM's and truncated models at multiples of the noise scale.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        Non-negative; NaN, or what a masked array hides, is missing.
    n_components : int or sequence of int
        The rank, or the ranks to try.
    random_state : int or None
        The seed of every candidate.

    Returns
    -------
    dict
        Name -> unfitted estimator. A name has the rank, the class, and the multiple of the scale.

    Examples
    --------
    >>> A = np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> list(default_candidates(A, 3, random_state=0))[:3]
    ['NMF, r = 3', 'HuberNMF, r = 3, 0.25 σ', 'HuberNMF, r = 3, 0.5 σ']
    """
    candidates = {}
    for r in np.atleast_1d(n_components).tolist():
        options = OPTIONS | {"n_components": r, "random_state": random_state}
        candidates[f"NMF, r = {r}"] = NMF(**options)
        sigma = noise_scale(A, r, random_state)
        for model, multiples in MULTIPLES.items():
            for k in multiples:
                scale = {"scale": k * sigma}
                if model is TruncatedCauchyNMF:
                    scale["outliers"] = 3 * k * sigma
                name = f"{model.__name__}, r = {r}, {k:g} σ"
                candidates[name] = model(**scale, **options)
    return candidates
