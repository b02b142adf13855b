"""Non-negative least squares for all columns at once, by Nesterov's optimal gradient method."""

import numpy as np

__all__ = ["optimal_gradient"]


def optimal_gradient(gradient, lipschitz, H, *, target, max_iter):
    r"""Minimize a smooth convex function of every column of H over H ≥ 0.

    Algorithm 1 of the paper. From an extrapolated point Y, a projected gradient step

    .. math:: H^{k} = \max\bigl(0,\; Y - \nabla f(Y) / L\bigr), \qquad
              Y \leftarrow H^{k} + \frac{\alpha_k - 1}{\alpha_{k+1}} (H^{k} - H^{k-1}), \qquad
              \alpha_{k+1} = \frac{1 + \sqrt{1 + 4 \alpha_k^2}}{2}.

    Y may have negative entries, so the result is H. A column whose step points uphill loses its
    momentum, which makes the convergence linear. A column stops on its own as soon as
    :math:`L \lVert Y - H^k \rVert` is small: zero means that it is at the minimum.

    Parameters
    ----------
    gradient : callable
        ``gradient(Y)``, the gradients of all columns, of shape (r, n).
    lipschitz : float or ndarray of shape (n,)
        Lipschitz constants of the gradients.
    H : ndarray of shape (r, n)
        Where to start; not changed.
    target : float or ndarray of shape (n,)
        A column stops where :math:`L \lVert Y - H^k \rVert` is at most this.
    max_iter : int
        Largest number of steps.

    Returns
    -------
    ndarray of shape (r, n)

    References
    ----------
    Guan et al. (2019), Algorithm 1, which returns Y by a slip. O'Donoghue and Candès, *Adaptive
    restart for accelerated gradient schemes*, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> B = np.array([[1.0, -2.0]])
    >>> optimal_gradient(lambda Y: Y - B, 1.0, np.ones((1, 2)), target=0.0, max_iter=9).tolist()
    [[1.0, 0.0]]
    """
    L = np.maximum(lipschitz, np.finfo(H.dtype).tiny ** 0.5).astype(H.dtype)
    Y, alpha = H, np.ones(H.shape[1], H.dtype)
    moving = np.ones(H.shape[1], bool)
    for _ in range(max_iter):
        G = gradient(Y)
        H_next = np.maximum(Y - G / L, 0)
        step = np.where(moving, H_next - H, 0)
        moving = moving & (L * np.linalg.norm(Y - H_next, axis=0) > target)
        H = H + step
        if not moving.any():
            break
        alpha = np.where(np.sum(G * step, axis=0) > 0, 1, alpha)
        alpha_next = (1 + np.sqrt(1 + 4 * alpha**2)) / 2
        Y = H + (alpha - 1) / alpha_next * step
        alpha = alpha_next
    return H
