"""How large the noise is for a search: what a few sweeps of plain NMF leave."""

import numpy as np

from rnmf_tutorial.arrays import positive_mean, rounding
from rnmf_tutorial.estimators.nmf import NMF
from rnmf_tutorial.groups import counted

__all__ = ["noise_size"]


def noise_size(A, n_components, init="random", random_state=None):
    r"""Return the median \|e\| after 20 passes of plain NMF, at least a 400th of the data's mean.

    Zeros of the data that the fit knows to be zeros are not counted, neither among the residuals
    nor in the mean. A plain fit takes in some of the gross errors, so that this is rather too large
    than too small; the residuals of a robust fit can collapse instead.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        Non-negative; NaN where an entry is missing.
    n_components : int
        The rank.
    init : str or (W0, H0), default="random"
        The start point, as for :class:`~rnmf_tutorial.NMF`.
    random_state : int, RandomState or None, default=None
        Its seed.

    Returns
    -------
    float
        In the units of the data.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A = 5 + 0.1 * rng.standard_normal((100, 80))
    >>> round(noise_size(A, 1, random_state=0), 3)
    0.067
    """
    start = {"init": init, "random_state": random_state}
    model = NMF(n_components, solver="cd", max_iter=20, tol=0, **start)
    sizes = np.abs(A - model.fit_transform(A) @ model.components_)
    missing = np.isnan(A)
    known = counted(A, sizes, rounding(A[~missing]), missing)
    return max(float(np.median(known)), positive_mean(A) / 400)
