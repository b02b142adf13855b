r"""Least squares with non-negative coefficients, by Nesterov's optimal gradient method.

Without weights, or with weights of features, all columns share one matrix :math:`G =
W^TW`, and :func:`nnls` needs only small products. With weights Q of entries, each
column has its own matrix :math:`W^T \operatorname{diag}(q) W`. Forming all of these
costs about ten times as much as one gradient of all columns, :math:`W^T (Q \odot (WH -
X))`. As the weights change after every update, :func:`improve_H` takes a dozen gradient
steps and does not form the matrices. Algorithm 1 of Guan et al. goes on until the gradient
is small (:mod:`rnmf_tutorial.solvers.guan`).
"""

import numpy as np

from rnmf_tutorial.arithmetic import inner, ratio, residual
from rnmf_tutorial.fitting import Solver, Update
from rnmf_tutorial.solvers.kullback_leibler import pairs_of

# Gradient steps for a weighted problem. With more, sweeps are longer and fewer, and a
# fit takes the same time.
WEIGHTED_STEPS = 12


def optimal_gradient(descend, H, *, target, max_iter, together=False):
    r"""Minimize a smooth convex function of every column of H over H ≥ 0.

    Each step is a projected gradient step from an extrapolated point Y, with the
    Lipschitz constant L:

    .. math:: H^{k} = \max\bigl(0,\; Y - \nabla f(Y) / L\bigr), \qquad
              Y \leftarrow H^{k} + \frac{\alpha_k - 1}{\alpha_{k+1}} (H^{k} - H^{k-1}),
              \qquad \alpha_{k+1} = \frac{1 + \sqrt{1 + 4 \alpha_k^2}}{2}.

    Y may have negative entries, so the result is H. If the last step of a column points
    uphill, its momentum is reset. Each column stops separately when the step from Y to
    H is short, as its length is zero only at the minimum.

    With `together`, all columns are one problem in r × n unknowns, with one momentum
    and one stop. This takes half the time, because nothing is computed column by
    column.

    Parameters
    ----------
    descend : callable
        ``descend(Y)`` returns the gradient step :math:`Y - \nabla f(Y) / L` of all
        columns in a new array.
    H : ndarray of shape (r, n)
        The start; not changed.
    target : float or ndarray of shape (n,)
        A column stops when :math:`\lVert Y - H^k \rVert` is at most this. With
        `together`, this is the norm over all columns.
    max_iter : int
        Largest number of steps.
    together : bool, default=False
        Treat all columns as one problem.

    Returns
    -------
    ndarray of shape (r, n)

    References
    ----------
    Guan et al. (2019), Algorithm 1, which by mistake returns Y. O'Donoghue and Candès,
    *Adaptive restart for accelerated gradient schemes*, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> B = np.array([[1.0, -2.0]])
    >>> optimal_gradient(lambda Y: (Y + B) / 2, np.ones((1, 2)), target=1e-9, max_iter=99).round(6)
    array([[1., 0.]])
    """
    Y = H.copy()
    problems = 1 if together else H.shape[1]
    alpha = np.ones(problems, H.dtype)
    moving = np.ones(problems, bool)
    for _ in range(max_iter):
        H_next = descend(Y)
        np.clip(H_next, 0, np.inf, out=H_next)
        gap = np.subtract(Y, H_next, out=Y)
        step = H_next - H
        if not moving.all():
            step *= moving
            np.add(H, step, out=H_next)
        H = H_next
        moving &= np.sqrt(_dots(gap, gap, together)) > target
        if not moving.any():
            break
        alpha[_dots(gap, step, together) > 0] = 1
        alpha_next = (1 + np.sqrt(1 + 4 * alpha**2)) / 2
        step *= (alpha - 1) / alpha_next
        Y = np.add(H, step, out=gap)
        alpha = alpha_next
    return H


def nnls(gram, B, H=None, *, tol=1e-10, max_iter=10000, together=False):
    r"""Solve :math:`\min_{h \ge 0} \lVert x - W h\rVert^2` for every column x, given G and b.

    The function is :math:`h^T G h - 2 b^T h` up to a constant, with :math:`G = W^T W`
    and :math:`b = W^T x`. With weights q, :math:`G = W^T \operatorname{diag}(q) W`,
    which differs from column to column, and :math:`b = W^T (q \odot x)`. The function
    never ends above its start.

    Parameters
    ----------
    gram : ndarray of shape (r, r) or (n, r, r)
        G, the same for all columns or one for each; its entries must be non-negative.
    B : ndarray of shape (r, n)
        The vectors b.
    H : ndarray of shape (r, n), optional
        The start; zero by default.
    tol : float, default=1e-10
        A column stops when its projected gradient is at most this fraction of that at
        the start.
    max_iter : int, default=10000
        Largest number of steps.
    together : bool, default=False
        Treat all columns as one problem with one stop. This is faster, but a column
        then depends on the others, and only the sum over all columns is sure not to end
        above its start.

    Returns
    -------
    ndarray of shape (r, n)

    References
    ----------
    Guan et al. (2019), Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> W = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> X = np.array([[3.0, 3.0], [1.0, -1.0], [1.0, 0.0]])
    >>> nnls(W.T @ W, W.T @ X).round(6)
    array([[2., 3.],
           [1., 0.]])
    """
    B = np.ascontiguousarray(B)
    # As G >= 0, where b <= 0 the slope is at least 0 for every h >= 0: the minimum is
    # zero there.
    start = np.zeros_like(B) if H is None else np.where(B > 0, H, 0)
    slope = _times(gram, start) - B
    projected = np.where(start > 0, slope, np.minimum(slope, 0))
    first = np.sqrt(_dots(projected, projected, together))
    smallest = np.finfo(B.dtype).eps * np.sqrt(
        _dots(B, B, together)
    )  # its rounding error
    L = lipschitz_bound(gram)
    H = optimal_gradient(
        _gradient_step(gram, B, L),
        start,
        target=ratio(np.maximum(tol * first, smallest), L),
        max_iter=max_iter,
        together=together,
    )
    # A quadratic changes by the mean of its slopes at both ends times their distance.
    rise = _dots(H - start, slope + _times(gram, H) - B, together)
    return np.where(rise <= 0, H, start)


def weighted_nnls(X, W, Q, H=None, *, tol=1e-10, max_iter=10000):
    r"""Solve :math:`\min_{h \ge 0} \sum_i q_i (x_i - (Wh)_i)^2` for every column x of X.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
        Non-negative.
    Q : ndarray of shape (n_features, n_samples)
        Non-negative weights of the entries of X.
    H : ndarray of shape (r, n_samples), optional
        The start; as in :func:`nnls`.
    tol : float, default=1e-10
        As in :func:`nnls`.
    max_iter : int, default=10000
        As in :func:`nnls`.

    Returns
    -------
    ndarray of shape (r, n_samples)

    References
    ----------
    Guan et al. (2019), equation (13).

    Examples
    --------
    >>> import numpy as np
    >>> X, W = np.array([[2.0], [9.0]]), np.ones((2, 1))
    >>> weighted_nnls(X, W, np.array([[1.0], [0.0]])).round(6)
    array([[2.]])
    """
    return nnls(weighted_grams(W, Q), W.T @ (Q * X), H, tol=tol, max_iter=max_iter)


def weighted_grams(W, Q):
    r"""Return the normal matrices :math:`W^T \operatorname{diag}(Q_{\cdot j}) W` of all columns j.

    Column (k, l) of K, the Khatri-Rao product of W with itself, is the entrywise
    product of columns k and l of W. Row (k, l) of :math:`K^T Q` has entry (k, l) of all
    matrices. They are symmetric, so only pairs with k ≤ l are computed.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    Q : ndarray of shape (n_features, n_samples)

    Returns
    -------
    ndarray of shape (n_samples, r, r)

    Examples
    --------
    >>> import numpy as np
    >>> weighted_grams(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0], [10.0]])).tolist()
    [[[1.0, 2.0], [2.0, 14.0]]]
    """
    pairs, place = pairs_of(W.T)
    return (Q.T @ pairs.T)[:, place]


def lipschitz_bound(gram, steps=4):
    r"""Return an upper bound of the largest eigenvalue of each gram matrix.

    For a non-negative symmetric G and any v > 0 it is at most :math:`\max_k (Gv)_k /
    v_k` (Collatz and Wielandt). A few steps :math:`v \leftarrow Gv` make the bound
    tight.

    Parameters
    ----------
    gram : ndarray of shape (r, r) or (n, r, r)
        Symmetric and non-negative.
    steps : int, default=4
        Number of these steps; more give a tighter bound.

    Returns
    -------
    ndarray of shape (1,) or (n,)

    Examples
    --------
    >>> import numpy as np
    >>> lipschitz_bound(np.array([[2.0, 1.0], [1.0, 2.0]])).tolist()
    [3.0]
    """
    v = np.ones((*gram.shape[:-1], 1), gram.dtype)
    for _ in range(steps):
        v = gram @ v
        v = ratio(v, v.max(axis=-2, keepdims=True))
    return np.atleast_1d(ratio(gram @ v, v).max(axis=(-2, -1)))


def _gradient_step(gram, B, L):
    """Return the function Y ↦ Y - (GY - B) / L of all columns."""
    if gram.ndim == 2:  # one matrix: divide it once
        M = np.eye(len(gram), dtype=gram.dtype) - ratio(gram, L)
        shift = ratio(B, L)

        def step(Y):
            Z = M @ Y
            return np.add(Z, shift, out=Z)

        return step
    return lambda Y: Y - ratio(_times(gram, Y) - B, L)


def _times(gram, Y):
    """Return G Y, where G is one matrix for all columns, or one for each."""
    return gram @ Y if gram.ndim == 2 else np.matmul(gram, Y.T[:, :, None])[:, :, 0].T


def _dots(A, B, together):
    """Return the inner product of every pair of columns, or with `together` their sum."""
    return np.array([inner(A, B)]) if together else np.einsum("kj,kj->j", A, B)


def improve_H(X, W, H, Q, work=None):
    r"""Take steps toward the minimum of :math:`\sum_{ij} Q_{ij} (X - WH)_{ij}^2` over H ≥ 0.

    No column of the sum ends above its start.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        The start; not changed.
    Q : ndarray of shape (n_features, n_samples)
        The weights.
    work : ndarray of shape (n_features, n_samples), optional
        Memory to compute in.

    Returns
    -------
    ndarray of shape (r, n_samples)

    References
    ----------
    Guan et al. (2019), equation (13) and Algorithm 1, for all columns at once.

    Examples
    --------
    >>> X, W, Q = np.array([[2.0], [9.0]]), np.ones((2, 1)), np.array([[1.0], [0.0]])
    >>> improve_H(X, W, np.ones((1, 1)), Q)
    array([[2.]])
    """
    L = lipschitz_bounds(W, Q)
    work = np.empty_like(X) if work is None else work

    def descend(H):
        E = residual(X, W, H, out=work)
        return H + ratio(W.T @ np.multiply(Q, E, out=E), L)

    # Take a plain step, Nesterov steps and a plain step; a column that rises keeps only
    # the first.
    H = np.where(X.any(axis=0), H, 0)  # 0 is best for a column of zeros
    step = descend(H) - H
    H_first = np.clip(H + step, 0, np.inf)
    H_next = optimal_gradient(descend, H_first, target=0.0, max_iter=WEIGHTED_STEPS - 2)
    H_last = descend(H_next)
    # A quadratic falls by the mean of its slopes at both ends times their distance.
    step += H_last - H_next
    falls = np.einsum("kj,kj->j", step, H_next - H) >= 0
    return np.where(falls, np.clip(H_last, 0, np.inf, out=H_last), H_first)


def improve_W(X, W, H, Q, work=None):
    r"""Take steps toward the minimum of :math:`\sum_{ij} Q_{ij} (X - WH)_{ij}^2` over W ≥ 0.

    It is :func:`improve_H`, transposed. No row of the sum ends above its start.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
        The start; not changed.
    H : ndarray of shape (r, n_samples)
    Q : ndarray of shape (n_features, n_samples)
        The weights.
    work : ndarray of shape (n_features, n_samples), optional
        Memory to compute in.

    Returns
    -------
    ndarray of shape (n_features, r)

    References
    ----------
    Guan et al. (2019), equation (14).

    Examples
    --------
    >>> X, H, Q = np.array([[2.0, 9.0]]), np.ones((1, 2)), np.array([[1.0, 0.0]])
    >>> improve_W(X, np.ones((1, 1)), H, Q)
    array([[2.]])
    """
    work = None if work is None else work.T
    return np.ascontiguousarray(improve_H(X.T, H.T, W.T, Q.T, work).T)


def lipschitz_bounds(W, Q, steps=4):
    r"""Return an upper bound of the largest eigenvalue of every :math:`W^T\operatorname{diag}(q)W`.

    For a non-negative symmetric G and any v > 0 it is at most :math:`\max_k (Gv)_k /
    v_k` (Collatz and Wielandt). One v is used for all columns q of Q: it comes from a
    few steps of the power method for their mean. So all bounds together cost about as
    much as one gradient.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Non-negative.
    Q : ndarray of shape (n_features, n_samples)
        Non-negative.
    steps : int, default=4
        Number of these steps; more give tighter bounds.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> lipschitz_bounds(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, 3.0], [1.0, 3.0]]))
    array([ 9., 27.])
    """
    G = (W.T * Q.mean(axis=1)) @ W
    v = np.ones(len(G), G.dtype)
    for _ in range(steps):
        v = G @ v
        v = ratio(v, v.max())
    return ratio((W * (W @ v)[:, None]).T @ Q, v[:, None]).max(axis=0)


class WeightedNesterov(Solver):
    """Update H, the weights, then W: lines 5 to 9 of Algorithm 2 of Guan et al., shortened.

    :class:`~rnmf_tutorial.solvers.guan.OptimalGradientUpdates` has them as printed.
    """

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        W, H = comparison.W, comparison.H
        Q = loss.positive_weights(comparison)
        H = improve_H(work.X, W, H, Q, work.energies)
        halfway = loss.compare(work, W, H, fill=False)
        Q = loss.positive_weights(halfway)
        W = improve_W(work.X, W, H, Q, work.energies)
        return Update(W, H)


class NesterovUpdates(Solver):
    """Solve for H, then for W, until the slope falls to a tenth, or for 30 steps."""

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        limits = {"tol": 0.1, "max_iter": 30, "together": True}
        H = nnls(comparison.WtW, comparison.WtX, comparison.H, **limits)
        halfway = loss.compare(work, comparison.W, H, fill=False)
        Wt = nnls(halfway.HHt, halfway.XHt.T, comparison.W.T, **limits)
        return Update(Wt.T, H)
