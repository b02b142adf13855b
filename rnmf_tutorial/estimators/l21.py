"""NMF in the L2,1 norm (Kong et al., 2011)."""

from functools import partial
from typing import ClassVar

import numpy as np

from rnmf_tutorial.engine.fit import encode
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.nmf import encode_complete
from rnmf_tutorial.estimators.parameters import base_estimator, estimator
from rnmf_tutorial.groups import FEATURES, SAMPLES, no_zeros
from rnmf_tutorial.losses import Loss, Root
from rnmf_tutorial.steps.coordinate import Coordinate
from rnmf_tutorial.steps.multiplicative import Multiplicative

__all__ = ["L21NMF", "LinewiseNMF", "least_energy"]

GROUPS = {"samples": SAMPLES, "features": FEATURES}


@base_estimator
class LinewiseNMF(BaseNMF):
    r"""Base of the models in which whole samples, or whole features, share a weight.

    Minimizes a sum over the lengths of these lines of X - WH. A weight of a sample cancels in the
    update of H, one of a feature in that of W.

    Parameters
    ----------
    {n_components}
    group : {{"samples", "features"}}, default="samples"
    {solver}
    {common}

    Examples
    --------
    >>> from rnmf_tutorial import CappedNMF
    >>> issubclass(CappedNMF, LinewiseNMF)
    True
    """

    group: str = "samples"
    solver: str = "cd"

    takes_missing: ClassVar[bool] = True

    def _step(self):
        """Return (18), W first and one set of weights for both; or coordinate descent."""
        return Coordinate() if self.solver == "cd" else Multiplicative(first="W")

    def _encode(self, X, W, missing=None):
        """Return the coefficients; a sample's weight cancels, those of features are the fit's."""
        if self.group == "features":
            roots = np.sqrt(no_zeros(self.weights_)).astype(X.dtype)[:, None]
            X, W = roots * X, roots * W

        update = partial(self._step().coefficients, loss=Loss())

        def by_step(X, W, missing):
            return encode(X, W, update, missing=missing, tol=self.tol, max_iter=self.max_iter)

        if self.solver == "cd":
            return encode_complete(by_step, X, W, missing, self.tol, self.max_iter)
        return by_step(X, W, missing)

    def _shown(self, point, loss):
        """Return the weights of the lines."""
        # Published for lengths, of which they are the slope over the length: twice that by squares.
        return {"weights_": 2 * loss.slopes(point)}

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_choice("group", *GROUPS)
        self._check_choice("solver", "mu", "cd")


def least_energy(X):
    """Return the squared length that a residual has at least where a weight is found.

    Below some hundred roundings of the data it says nothing, and a weight beyond all others would
    leave these no digits.
    """
    longest = float(np.einsum("ij,ij->j", X, X).max()) or 1.0
    return (200 * float(np.finfo(X.dtype).eps)) ** 2 * longest


@estimator
class L21NMF(LinewiseNMF):
    r"""NMF in the L2,1 norm: a sample counts with the length of its residual, not its square.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} = \sum_j \lVert x_j - W h_j\rVert` over
    non-negative W and H. Sample j has the weight :math:`d_j = 1/\lVert x_j - W h_j\rVert`. The
    objective never rises.

    Parameters
    ----------
    {n_components}
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature, for data in which whole
        features are off.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples,) or (n_features,)
        The weights of the samples at the end, in units of 1/X.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Kong, Ding and Huang, *Robust nonnegative matrix factorization using L21-norm*, CIKM 2011;
    equations (16)-(18) of Díaz, Steele and Nguyen.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = L21NMF(1, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    def _loss(self, point):
        """Return the sum of the lengths, (16)."""
        return Loss(Root(), group=GROUPS[self.group], least=least_energy(point.X))
