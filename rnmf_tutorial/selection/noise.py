"""How large the noise is for a search: what a few sweeps of plain NMF leave."""

import numpy as np

from rnmf_tutorial.core import positive_mean, rounding
from rnmf_tutorial.inputs import as_floats
from rnmf_tutorial.losses import informative
from rnmf_tutorial.models import NMF

__all__ = ["noise_scale"]


def noise_scale(A, n_components, random_state=None):
    r"""Return the deviation that the residuals of a plain fit would have if they were Gaussian.

    1.4826 times the median \|e\| after 20 passes of plain NMF, which is taken as a 400th of the
    data's mean at least. Zeros of the data that the fit knows to be zeros are not counted, neither
    among the residuals nor in the mean. A plain fit takes in some of the gross errors, so that this
    is rather too large than too small; the residuals of a robust fit can collapse instead.

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
    model = NMF(n_components, solver="cd", max_iter=20, tol=0, random_state=random_state)
    sizes = np.abs(A - model.fit_transform(A) @ model.components_)
    missing = np.isnan(A)
    known = informative(A == 0, sizes, rounding(A[~missing]), missing)
    return 1.4826 * max(float(np.median(known)), positive_mean(A) / 400)
