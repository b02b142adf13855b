"""Hoyer's non-negative sparse coding, which the paper takes its steps from."""

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models import Products, RegularizedNMF, sphere_step, squared_error


class SparseCodingNMF(RegularizedNMF):
    r"""NNSC: sparse *coefficients*, :math:`\tfrac12\lVert X - WH\rVert_F^2 + \nu\sum_{kj} H_{kj}`.

    The columns of W have length one, and W takes the step of `RegularizedNMF` without a penalty.
    Fitted to the transposed data it gives a sparse basis: the roles of W and H are exchanged.

    Parameters
    ----------
    n_components : int, default=2
    nu : float, default=1.0
        The weight of the penalty, :math:`\nu`.
    init, max_iter, tol, random_state, callback, verbose
        As for `RegularizedNMF`.

    References
    ----------
    Hoyer, *Non-negative sparse coding*, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = SparseCodingNMF(1, nu=0.5, tol=0, max_iter=500, random_state=0).fit(A)
    >>> (model.components_ / model.components_[0, 0]).round(2).tolist()
    [[1.0, 0.0, 2.0, 1.0]]
    """

    def __init__(
        self,
        n_components=2,
        *,
        nu=1.0,
        init="random",
        max_iter=2000,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            lam=0,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.nu = nu

    def objective(self, X, W, H, state=None):
        """Return half the squared error plus the penalty."""
        products = None if state is None else state.products
        return squared_error(X, W, H, products) / 2 + self.nu * float(H.sum(dtype=float))

    def sweep(self, X, W, H, now):
        """Take the step on W; then update H with the penalty's slope in the denominator."""
        XX, _, XHt, HHt = now.products
        W, mu = sphere_step(W, W @ HHt - XHt, HHt)
        WtW = W.T @ W
        H = H * ratio(W.T @ X, WtW @ H + self.nu)
        products = Products(XX, WtW, X @ H.T, H @ H.T)
        return W, H, now._replace(products=products, mu=mu)

    def encode(self, X, W, H):
        """Update H alone, with the penalty."""
        return H * ratio(W.T @ X, (W.T @ W) @ H + self.nu)
