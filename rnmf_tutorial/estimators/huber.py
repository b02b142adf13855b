"""NMF with Huber's loss, which ends as the absolute value.

Losses and weights are those of Table I in Guan et al. (2019), scaled so that a small residual
costs its square. The weight of a large residual e falls as 1/|e|: it pulls as hard as any other.
"""

from typing import ClassVar

from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import EntrywiseNMF
from rnmf_tutorial.losses import Huber

__all__ = ["HuberNMF"]


@estimator
class HuberNMF(EntrywiseNMF):
    r"""NMF with Huber's loss: squares up to a cutoff, absolute values beyond.

    Minimizes the sum over the entries e of X - WH of :math:`e^2` where :math:`|e| \le c` and
    :math:`2c|e| - c^2` beyond, over non-negative W and H. The weights are
    :math:`\min(1, c/|e|)`. With c = λ/2 it is the objective of
    :class:`~rnmf_tutorial.RobustNMF` after its S is minimized out.

    Parameters
    ----------
    {n_components}
    scale : float, "published" or None, default=None
        The cutoff c, in the units of the data. None takes twice the median \|e\| of a robust
        start, once (:mod:`~rnmf_tutorial.estimators.noise`); "published" the median itself, anew in
        each sweep, which collapses where the data fit well.
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
    ICDM 2012; HuberNMF in Table I of Guan et al. (2019), and their section 4.7 for the cutoff.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = HuberNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Huber()
