"""NMF with the hypersurface cost, which ends as the absolute value.

Losses and weights are those of Table I in Guan et al. (2019), scaled so that a small residual
costs its square. The weight of a large residual e falls as 1/|e|: it pulls as hard as any other.
"""

from typing import ClassVar

from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import EntrywiseNMF
from rnmf_tutorial.losses import Hypersurface

__all__ = ["HypersurfaceNMF"]


@estimator
class HypersurfaceNMF(EntrywiseNMF):
    r"""NMF with the hypersurface cost: squares for small errors, absolute values for large.

    Minimizes :math:`\sum_{ij} 2c^2 \bigl(\sqrt{1 + E_{ij}^2/c^2} - 1\bigr)` with
    :math:`E = X - WH`, over non-negative W and H; with c = 1, twice the published sum. The
    weights are :math:`1/\sqrt{1 + E_{ij}^2/c^2}`.

    Parameters
    ----------
    {n_components}
    scale : float, "published" or None, default=None
        The c where squares turn into absolute values, in the units of the data. None takes
        twice the median \|e\| of a robust start, once
        (:mod:`~rnmf_tutorial.estimators.noise`); "published" the median itself, anew in each sweep.
        The loss was published with 1 for data of any unit.
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
    Hamza and Brady, *Reconstruction of reflectance spectra using robust nonnegative matrix
    factorization*, IEEE TSP 2006; HCNMF in Table I and section 4.2 of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = HypersurfaceNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Hypersurface()
