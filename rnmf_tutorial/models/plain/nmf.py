"""Non-negative matrix factorization by the multiplicative updates of Lee and Seung."""

from typing import ClassVar, NamedTuple

import numpy as np

from rnmf_tutorial.arrays import inner, product, ratio, unit_columns
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.cleaning import SolverChoice
from rnmf_tutorial.models.distances import Products, kl_divergence, squared_error
from rnmf_tutorial.models.parameters import base_estimator, estimator
from rnmf_tutorial.solvers.passes import Seen

__all__ = ["NMF", "DivergenceNMF", "EuclideanNMF"]


@base_estimator
class EuclideanNMF(BaseNMF):
    r"""Lee and Seung's updates for :math:`\lVert X - WH\rVert_F^2`, without more parameters.

    Parameters
    ----------
    {n_components}
    {common}

    Examples
    --------
    >>> history = EuclideanNMF(1, max_iter=9, tol=0).fit(np.eye(3) + 1).objective_history_
    >>> bool(history[-1] < history[0])
    True
    """

    def objective(self, X, W, H, state=None):
        """Return (7)."""
        return squared_error(X, W, H, state)

    def start(self, X, W, H, missing=None):
        """Return the products that the first sweep expects from the one before."""
        XX = inner(X, X) if missing is None else np.nan  # it changes with what is filled in
        return Products(XX, W.T @ W, X @ H.T, H @ H.T)

    def sweep(self, X, W, H, now):
        """Update H, then W, by (9)."""
        H = H * ratio(W.T @ X, now.WtW @ H)  # (9), left
        XHt, HHt = X @ H.T, H @ H.T
        W = W * ratio(XHt, W @ HHt)  # (9), right
        return W, H, Products(now.XX, W.T @ W, XHt, HHt)

    def rescaled(self, X, W, H, state):
        """Return the products after W and H have been normalized."""
        return Products(state.XX, W.T @ W, X @ H.T, H @ H.T)

    def encode(self, X, W, H):
        """Update H alone, by (9)."""
        return H * ratio(W.T @ X, (W.T @ W) @ H)


class Reconstruction(NamedTuple):
    """The state of the divergence: WH, whose memory the next sweep computes in."""

    WH: np.ndarray

    def quotient(self, X):
        """Return X / WH, in the memory of WH."""
        return ratio(X, self.WH, out=self.WH)

    def product(self, W, H):
        """Return WH for other factors, in the same memory."""
        return Reconstruction(product(W, H, out=self.WH))


@base_estimator
class DivergenceNMF(BaseNMF):
    r"""Lee and Seung's updates for :math:`D(X \Vert WH)`, without more parameters.

    Parameters
    ----------
    {n_components}
    {common}

    Examples
    --------
    >>> history = DivergenceNMF(1, max_iter=9, tol=0).fit(np.eye(3) + 1).objective_history_
    >>> bool(history[-1] < history[0])
    True
    """

    def objective(self, X, W, H, state=None):
        """Return (8)."""
        return kl_divergence(X, product(W, H) if state is None else state.WH)

    def start(self, X, W, H, missing=None):
        """Return the product WH that the first sweep expects from the one before."""
        return Reconstruction(product(W, H))

    def sweep(self, X, W, H, now):
        """Update H, then W, by (10) and (11)."""
        H = H * ratio(W.T @ now.quotient(X), W.sum(axis=0)[:, None])  # (10)
        now = now.product(W, H)
        W = W * ratio(now.quotient(X) @ H.T, H.sum(axis=1))  # (11)
        return W, H, now.product(W, H)

    def rescaled(self, X, W, H, state):
        """Return the state after W and H have been normalized: WH is the same."""
        return state

    def encode(self, X, W, H):
        """Update H alone, by (10)."""
        R = Reconstruction(product(W, H)).quotient(X)
        return H * ratio(W.T @ R, W.sum(axis=0)[:, None])


@estimator
class NMF(SolverChoice, BaseNMF):
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
    solver: str = "mu"

    keeps_data: ClassVar[bool] = True

    def objective(self, X, W, H, state=None):
        """Return (7) or (8)."""
        return self._rules.objective(self, X, W, H, state)

    def start(self, X, W, H, missing=None):
        """Return what the first sweep expects from the one before: products, or WH."""
        return self._rules.start(self, X, W, H, missing)

    def sweep(self, X, W, H, now):
        """Update H, then W, by (9) or by (10)-(11); then normalize."""
        W, H, new = self._rules.sweep(self, X, W, H, now)
        if self.normalize is not None:
            W, H = unit_columns(W, H, self.normalize)
            new = self._rules.rescaled(self, X, W, H, new)
        return W, H, new

    def encode(self, X, W, H):
        """Update H alone, by (9) or (10)."""
        return self._rules.encode(self, X, W, H)

    def look(self, X, W, H, state):
        """Return (7) and the data, with the product that both need."""
        WtX = W.T @ X
        products = Products(state.XX, H @ H.T, WtX.T, W.T @ W)
        return Seen(squared_error(X.T, H.T, W.T, products), X, None, WtX)

    def gauge(self):
        """Return the norm that was asked for."""
        return self.normalize

    def ends_encoded(self):
        """Return False: a fit ends with its last sweep."""
        return False

    def at(self, X, W, H, state):
        """Return the products for other factors."""
        return self._rules.rescaled(self, X, W, H, state)

    def refilled(self, X, W, H, state):
        """Return the products for other data."""
        return self.start(X, W, H)

    def state_at_hand(self, X):
        """Return a state for `look`."""
        return Products(inner(X, X), None, None, None)

    def chunk_by_chunk(self):
        """Return "weights" for the Euclidean loss; those of the divergence are in its quotient."""
        return "weights" if self.loss == "frobenius" else None

    def half_sweep(self, X, W, H):
        """Return (7), the next H by (9), and the two sums over samples in (9), right."""
        seen = self.look(X, W, H, self.state_at_hand(X))
        H = H * ratio(seen.WtM, (W.T @ W) @ H)  # (9), left
        return seen.objective, H, X @ H.T, W @ (H @ H.T)

    @property
    def _rules(self):
        return {"frobenius": EuclideanNMF, "kullback-leibler": DivergenceNMF}[self.loss]

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        if self.loss not in ("frobenius", "kullback-leibler"):
            raise ValueError(
                f"loss={self.loss!r} is not known; use 'frobenius' or 'kullback-leibler'."
            )
        if self.solver == "cd" and self.loss != "frobenius":
            raise ValueError(
                f"solver='cd' minimizes squares; with loss={self.loss!r} use solver='mu'."
            )
        if self.normalize not in (None, "l1", "l2"):
            raise ValueError(f"normalize={self.normalize!r} is not known; use None, 'l1' or 'l2'.")
