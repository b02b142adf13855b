"""NMF with the Cauchy loss: the weights fall faster than 1/|e|.

Losses and weights are those of Table I in Guan et al. (2019), scaled so that a small residual
costs its square, and with the table's slips mended. The pull of a residual, weight times size,
grows, turns, and goes back to zero. Such a loss is not convex in H: its coefficients depend on
where they start.
"""

from typing import ClassVar

from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import EntrywiseNMF
from rnmf_tutorial.losses import Cauchy

__all__ = ["CauchyNMF"]


@estimator
class CauchyNMF(EntrywiseNMF):
    r"""NMF with the Cauchy loss: errors far beyond the scale cost their logarithm.

    Minimizes :math:`\sum_{ij} \gamma^2 \ln\bigl(1 + E_{ij}^2/\gamma^2\bigr)` with
    :math:`E = X - WH`, over non-negative W and H. The weights are
    :math:`1/(1 + E_{ij}^2/\gamma^2)`. Guan et al. divide by :math:`2\gamma^2` in (2), and by
    :math:`\gamma^2` in Table I, where the square of the error is missing.

    Parameters
    ----------
    {n_components}
    scale : float, "published" or None, default=None
        The γ, in the units of the data. None takes 3.5 times the median \|e\| of a robust
        start, once (:mod:`~rnmf_tutorial.estimators.noise`). "published" is Nagy's iteration (18):
        to its end at the start point, one step after each sweep. Its fixed point is the
        maximum-likelihood γ of Cauchy-distributed errors, and it collapses where the data fit
        well.
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
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix factorization*,
    IEEE TPAMI 2019: CauchyNMF in Table I, and equations (2), (12), (18) without truncation.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = CauchyNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Cauchy()
