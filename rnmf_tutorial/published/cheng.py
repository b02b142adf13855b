"""The methods of Cheng, Wang and Guan (2022), and those that it compares with.

Their γ is `lam` here. The H of the last sweep, which the graph has shaped, is that of
`sweeps`. With ``tol=0``, `fit_transform` returns it as well.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from rnmf_tutorial import models
from rnmf_tutorial.published.diaz import L21NMF
from rnmf_tutorial.published.guan import CIMNMF
from rnmf_tutorial.published.lee import NMF

__all__ = [
    "CIMNMF",
    "CSNMF",
    "L21NMF",
    "MCCGR",
    "NMF",
    "ManifoldDiscriminativeNMF",
    "RobustManifoldNMF",
    "SupervisedNMF",
]


class CSNMF(models.CSNMF):
    r"""Correntropy supervised NMF by Algorithm 1 of Cheng, Wang and Guan (2022).

    This is :class:`rnmf_tutorial.CSNMF` with the γ and the stopping rule of the paper as
    its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not
        known: non-negative least squares, or the pseudo-inverse of W, whose
        coefficients may be negative. The paper does not say.
    scale : float or "published", default="published"
        The kernel size σ, in the units of the data. "published" sets σ² to half the
        mean of e² after every sweep, as in (23), and then computes the weights;
        Algorithm 1 prints these two lines in the other order.
    lam : float, default=1e-5
        The weight λ of the graph, the γ of section 4.1. It has the unit of 1/X, so a fit
        depends on the unit of the data.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of its change
        since the start. The paper does not print its tolerance.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Notes
    -----
    What differs from the paper:

    - σ is computed by (23) before the weights of the next sweep, and at the start too.
      Algorithm 1 prints the two lines in the other order, and no σ at the start.
    - A σ below the rounding error of the data is replaced by this error, and a weight below
      3e-103 by this number.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.
    - The paper does not say how it finds the coefficients of new samples; see `encoding`.
    - With ``tol > 0``, `fit_transform` returns the coefficients that `transform` finds, as
      scikit-learn expects. Algorithm 1 returns the H of its last pass, as `sweeps` does.

    References
    ----------
    Cheng, Wang and Guan, *Robust discriminative non-negative matrix factorization with
    maximum correntropy criterion*, 2022: equation (12), Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import cheng
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = cheng.CSNMF(2, max_iter=3, tol=0, random_state=0)
    >>> history = model.fit(A, [0, 0, 0, 1, 1, 1]).objective_history_
    >>> bool(history[-1] <= history[0])
    True
    """

    stops_by_fall: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        scale: float | str = "published",
        lam: float = 1e-5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            scale=scale,
            lam=lam,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class SupervisedNMF(models.SupervisedNMF):
    r"""Supervised NMF with the γ of Cheng, Wang and Guan (2022).

    This is :class:`rnmf_tutorial.SupervisedNMF` with the weight of the
    paper as its default.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not
        known: non-negative least squares, or the pseudo-inverse of W, whose
        coefficients may be negative. The paper does not say.
    lam : float, default=1e-5
        The weight λ of the graph, the γ of section 4.1. It has the unit of X, so a fit
        depends on the unit of the data.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Notes
    -----
    What differs from the paper:

    - The paper prints only the objective (27). The updates are (21) and (22) with all weights
      one.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.
    - The paper does not say how it finds the coefficients of new samples; see `encoding`.
    - With ``tol > 0``, `fit_transform` returns the coefficients that `transform` finds, as
      scikit-learn expects. Algorithm 1 returns the H of its last pass, as `sweeps` does.

    References
    ----------
    Cheng, Wang and Guan (2022), equation (27).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import cheng
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = cheng.SupervisedNMF(2, max_iter=3, tol=0, random_state=0)
    >>> history = model.fit(A, [0, 0, 0, 1, 1, 1]).objective_history_
    >>> bool(history[-1] <= history[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        lam: float = 1e-5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            lam=lam,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class MCCGR(models.MCCGR):
    r"""Graph regularized NMF by maximum correntropy, with the constant of (4).

    This is :class:`rnmf_tutorial.MCCGR` with the weight of the
    paper as its default.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least
        squares, or the pseudo-inverse of W, whose coefficients may be negative.
    scale : float or "published", default="published"
        The kernel size σ, in the units of the data: the length of a row of E.
        "published" sets σ² to half the mean of :math:`\lVert e_i\rVert^2` after every
        sweep. This is (23) with rows in place of entries; the paper gives no rule for
        this model.
    lam : float, default=1.0
        The weight λ of the graph. With 1 the penalty is that of (4), which has no γ. It has
        the unit of 1/X, so a fit depends on the unit of the data.
    n_neighbors : int, default=5
        Number of nearest samples to which each sample is joined.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Notes
    -----
    What differs from the paper:

    - The paper prints only the objective (4). The updates are (21) and (22) with one weight
      for each feature, and σ is that of (23) with rows in place of entries.
    - The paper does not say which samples are neighbors; see `n_neighbors`.
    - A σ below the rounding error of the data is replaced by this error, and a weight below
      3e-103 times the smallest positive one by that number.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.
    - The paper does not say how it finds the coefficients of new samples; see `encoding`.
    - With ``tol > 0``, `fit_transform` returns the coefficients that `transform` finds, as
      scikit-learn expects. Algorithm 1 returns the H of its last pass, as `sweeps` does.

    References
    ----------
    Li et al., *Graph regularized non-negative matrix factorization by maximizing
    correntropy*, 2014; equation (4) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import cheng
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = cheng.MCCGR(2, max_iter=3, tol=0, random_state=0)
    >>> history = model.fit(A).objective_history_
    >>> bool(history[-1] <= history[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        scale: float | str = "published",
        lam: float = 1.0,
        n_neighbors: int = 5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            scale=scale,
            lam=lam,
            n_neighbors=n_neighbors,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class ManifoldDiscriminativeNMF(models.ManifoldDiscriminativeNMF):
    r"""MD-NMF with the objective (2) of Cheng, Wang and Guan (2022).

    This is :class:`rnmf_tutorial.ManifoldDiscriminativeNMF` with the weight of the
    paper as its default.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least
        squares, or the pseudo-inverse of W, whose coefficients may be negative.
    lam : float, default=1e-5
        The weight λ of the graph, the γ of section 4.1.
    n_neighbors : int, default=5
        Number of nearest samples with the same label to which each sample is joined.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Notes
    -----
    What differs from the paper:

    - The paper prints only the objective (2). The updates are of this package.
    - The alignment matrix is the Laplacian of the graph that joins near samples with one
      label. The margin between classes, which the method's own paper adds, is left out.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.
    - The paper does not say how it finds the coefficients of new samples; see `encoding`.
    - With ``tol > 0``, `fit_transform` returns the coefficients that `transform` finds, as
      scikit-learn expects. Algorithm 1 returns the H of its last pass, as `sweeps` does.

    References
    ----------
    Guan, Tao, Luo and Yuan, *Manifold regularized discriminative nonnegative matrix
    factorization with fast gradient descent*, IEEE TIP 2011; equation (2) of Cheng,
    Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import cheng
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = cheng.ManifoldDiscriminativeNMF(2, max_iter=3, tol=0, random_state=0)
    >>> history = model.fit(A, [0, 0, 0, 1, 1, 1]).objective_history_
    >>> bool(history[-1] <= history[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        lam: float = 1e-05,
        n_neighbors: int = 5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            lam=lam,
            n_neighbors=n_neighbors,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class RobustManifoldNMF(models.RobustManifoldNMF):
    r"""Robust manifold NMF with the objective (5) of Cheng, Wang and Guan (2022).

    This is :class:`rnmf_tutorial.RobustManifoldNMF` with the weight of the
    paper as its default.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least
        squares, or the pseudo-inverse of W, whose coefficients may be negative.
    lam : float, default=1e-5
        The weight λ of the graph, the γ of section 4.1.
    n_neighbors : int, default=5
        Number of nearest samples to which each sample is joined.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Notes
    -----
    What differs from the paper:

    - The paper prints only the objective (5). The updates are those of Kong et al. with the
      graph.
    - The rows of H need not be orthonormal.
    - The paper does not say which samples are neighbors; see `n_neighbors`.
    - A residual at the level of rounding gets the weight of 200 rounding errors of the
      longest sample, so that no weight is infinite.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.
    - The paper does not say how it finds the coefficients of new samples; see `encoding`.
    - With ``tol > 0``, `fit_transform` returns the coefficients that `transform` finds, as
      scikit-learn expects. Algorithm 1 returns the H of its last pass, as `sweeps` does.

    References
    ----------
    Huang, Nie, Huang and Ding, *Robust manifold nonnegative matrix factorization*, ACM
    TKDD 2014; equation (5) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import cheng
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = cheng.RobustManifoldNMF(2, max_iter=3, tol=0, random_state=0)
    >>> history = model.fit(A).objective_history_
    >>> bool(history[-1] <= history[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        lam: float = 1e-05,
        n_neighbors: int = 5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            lam=lam,
            n_neighbors=n_neighbors,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
