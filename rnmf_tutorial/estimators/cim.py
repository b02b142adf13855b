"""NMF in the correntropy-induced metric: the weights fall faster than 1/|e|.

Losses and weights are those of Table I in Guan et al. (2019), scaled so that a small residual
costs its square, and with the table's slips mended. The pull of a residual, weight times size,
grows, turns, and goes back to zero. Such a loss is not convex in H: its coefficients depend on
where they start.
"""

from typing import ClassVar

from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import EntrywiseNMF
from rnmf_tutorial.losses import Correntropy

__all__ = ["CIMNMF"]


@estimator
class CIMNMF(EntrywiseNMF):
    r"""NMF in the correntropy-induced metric: errors far beyond the scale cost nothing more.

    Minimizes :math:`\sum_{ij} 2\sigma^2 \bigl(1 - \exp(-E_{ij}^2 / 2\sigma^2)\bigr)`
    with :math:`E = X - WH`, over non-negative W and H. The weights are
    :math:`\exp(-E_{ij}^2/2\sigma^2)`.

    Guan et al. print the sum of :math:`1 - k(E_{ij})` with a normal *density* k, which is this
    objective times :math:`1/(\sqrt{8\pi}\,\sigma^3)` plus a constant, and a weight
    with its exponential in the denominator, which would grow with the error.

    Parameters
    ----------
    {n_components}
    scale : float, "published" or None, default=None
        The kernel size σ, in the units of the data. None takes six times the median \|e\| of a
        robust start, once (:mod:`~rnmf_tutorial.estimators.noise`); "published" takes σ² as half
        the mean of e², anew in each sweep.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        Of the data from what is fitted, entry by entry: e² above is it for squares. With
        Kullback-Leibler's, whose unit is that of the data and not its square, the scale takes
        the place of its own square.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's scale:
        it never rises with a fixed scale, and with an estimated one only if the scale grew.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Du, Li and Shen, *Robust nonnegative matrix factorization via half-quadratic minimization*,
    ICDM 2012; CIM-NMF in Table I of Guan et al. (2019); equation (23) of Cheng, Wang and Guan
    (2022) for σ.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = CIMNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Correntropy()
