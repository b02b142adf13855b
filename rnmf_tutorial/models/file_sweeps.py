r"""Sweeps over data that need not fit into memory: a block of samples at a time.

The update of a column of H needs W and its own sample alone. The update of W needs two sums over
all samples, :math:`XH^T` and :math:`WHH^T` or their weighted forms, and a sum over samples
is the sum of those over blocks of samples.
"""

import numpy as np

from rnmf_tutorial.arrays import ratio

__all__ = ["file_blocks", "sweep_in_blocks"]


def sweep_in_blocks(model, blocks, W, H):
    """Do one sweep of NMF or of a model with entry-wise weights, a block of samples at a time.

    Up to rounding, W and H are those of ``model.sweep`` on all data at once.

    Parameters
    ----------
    model : NMF or EntrywiseNMF
        :class:`~rnmf_tutorial.NMF` with the Euclidean loss, or a model with entry-wise weights
        and a fixed scale.
    blocks : iterable of (slice, ndarray)
        The columns of a block, and the block (n_features × its samples); :func:`file_blocks`
        reads them from a file.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    W : ndarray of shape (n_features, r)
        A new array.
    H : ndarray of shape (r, n_samples)
        A new array.

    Raises
    ------
    ValueError
        If the model is of another kind, or its scale would have to be estimated.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial import NMF
    >>> rng = np.random.default_rng(0)
    >>> X, W, H = rng.random((5, 6)), rng.random((5, 2)), rng.random((2, 6))
    >>> halves = [(j, X[:, j]) for j in (slice(0, 3), slice(3, 6))]
    >>> W_blocks, _ = sweep_in_blocks(NMF(2), halves, W, H)
    >>> W_once, *_ = NMF(2).sweep(X, W, H, NMF(2).start(X, W, H))
    >>> bool(np.allclose(W_blocks, W_once, rtol=1e-12))
    True
    """
    if not model.sweeps_in_blocks():
        raise ValueError(
            f"{model} cannot sweep block by block: take NMF with the Frobenius loss and without "
            "normalization, or a model with entry-wise weights and its scale given as a number."
        )
    H, up, down = H.copy(), np.zeros_like(W), np.zeros_like(W)
    for j, X in blocks:
        H[:, j] = model.encode(X, W, H[:, j])
        more_up, more_down = model.basis_sums(X, W, H[:, j])
        up += more_up
        down += more_down
    return W * ratio(up, down), H


def file_blocks(path, size):
    """Read the samples of an ``.npy`` file, `size` at a time.

    Parameters
    ----------
    path : path
        A file written by ``numpy.save``: samples × features, in C order.
    size : int
        Samples in one block; it should be many times the rank.

    Yields
    ------
    columns : slice
        Which samples these are.
    X : ndarray of shape (n_features, at most size)
        A copy in memory. The file is opened anew for each block: what a closed map has read no
        longer counts as memory of the process.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/A.npy", np.ones((5, 3)))
    ...     [(j.start, X.shape) for j, X in file_blocks(f"{folder}/A.npy", 2)]
    [(0, (3, 2)), (2, (3, 2)), (4, (3, 1))]
    """
    for first in range(0, len(np.load(path, mmap_mode="r")), size):
        samples = np.array(np.load(path, mmap_mode="r")[first : first + size])
        yield slice(first, first + len(samples)), samples.T
