"""Non-negative matrix factorization by the multiplicative updates of Lee and Seung."""

from typing import ClassVar

import numpy as np

from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import COORDINATE, DIVERGENCES
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.steps.coordinate import settle_rows
from rnmf_tutorial.steps.multiplicative import Multiplicative

__all__ = ["NMF"]


@estimator
class NMF(BaseNMF):
    r"""Lee and Seung's NMF: squared Euclidean distance or Kullback-Leibler divergence.

    Minimizes :math:`\lVert X - WH\rVert_F^2` or :math:`D(X \Vert WH)` over non-negative W and
    H. Each sweep updates H, then W; neither update ever increases the objective.

    Parameters
    ----------
    {n_components}
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        Which of the two objectives.
    normalize : {None, "l1", "l2"}, default=None
        Give the columns of W this norm after each sweep, and H the factors taken out, so that
        WH is unchanged.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Lee and Seung, *Algorithms for non-negative matrix factorization*, NIPS 2001; equation
    numbers in the code are those of Zhang et al. (2011).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = NMF(1, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    loss: str = "frobenius"
    normalize: str | None = None
    solver: str = "cd"

    takes_missing: ClassVar[bool] = True

    def _loss(self, point):
        """Return (7) or (8)."""
        return Loss(divergence=DIVERGENCES[self.loss])

    def _step(self):
        """Return (9), or (10)-(11), and the norm; or coordinate descent."""
        kind = COORDINATE[self.loss] if self.solver == "cd" else Multiplicative
        return kind(normalize=self.normalize)

    def _encode(self, X, W, missing=None):
        """Return the coefficients; for "cd" and complete samples from the products alone."""
        if self.solver != "cd" or self.loss != "frobenius":
            return super()._encode(X, W, missing)
        return encode_complete(super()._encode, X, W, missing, self.tol, self.max_iter)

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_choice("loss", *DIVERGENCES)
        self._check_choice("normalize", None, "l1", "l2")
        self._check_choice("solver", "mu", "cd")


def encode_complete(encode, X, W, missing, tol, max_iter):
    """Return H for losses that leave the data as they are; incomplete samples by `encode`."""
    if missing is None:
        limits = {"tol": tol, "max_rounds": max_iter}
        return settle_rows(W.T @ W, W.T @ X, np.zeros((W.shape[1], X.shape[1]), X.dtype), **limits)
    some, H = missing.any(axis=0), np.empty((W.shape[1], X.shape[1]), X.dtype)
    H[:, ~some] = encode_complete(encode, X[:, ~some], W, None, tol, max_iter)
    H[:, some] = encode(X[:, some], W, missing[:, some])
    return H
