"""Three looks at a fitted model, each a call that draws a figure and returns its numbers."""

import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.utils import check_random_state

from rnmf_tutorial.inputs import as_floats
from rnmf_tutorial.selection.hiding import hidden_entries, planted_values
from rnmf_tutorial.selection.suspicion import scale_of

__all__ = ["agreement_of_starts", "planted_errors", "residuals"]


def residuals(model, A, ax=None):
    r"""Draw the sizes \|e\| of all residuals, with the scale that the fit used.

    Parameters
    ----------
    model : fitted estimator
        Any of the package.
    A : array-like of shape (n_samples, n_features)
        The data of the fit.
    ax : matplotlib Axes, default=None
        Where to draw; None opens a figure.

    Returns
    -------
    dict
        "median" and "largest" of the sizes, the "scale" (None if the model has none) and the share
        "beyond" it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rnmf_tutorial import HuberNMF
    >>> A = np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> sorted(residuals(HuberNMF(2, max_iter=20, tol=0, random_state=0).fit(A), A))
    ['beyond', 'largest', 'median', 'scale']
    >>> plt.close()
    """
    sizes = np.abs(as_floats(A, "residuals") - model.inverse_transform(model.transform(A)))
    sizes, scale = sizes[~np.isnan(sizes)], scale_of(model)
    shown = sizes[sizes > 0]
    ax = ax or _new_axes(figsize=(5.2, 2.8), layout="constrained")
    if shown.size:
        low, high = np.quantile(shown, 0.001), shown.max()
        ax.hist(np.clip(shown, low, high), np.geomspace(low, high, 60), color="#56B4E9")
    ax.set(xscale="log", xlabel="size of the residual", ylabel="entries")
    if scale is not None:
        ax.axvline(scale, color="k", ls="--", label=f"scale of the fit: {scale:.3g}")
        ax.legend()
    return {
        "median": float(np.median(sizes)),
        "largest": float(sizes.max()),
        "scale": None if scale is None else float(scale),
        "beyond": None if scale is None else float((sizes > scale).mean()),
    }


def agreement_of_starts(model, A, n_starts=5, random_state=0, ax=None):
    """Fit from several random starts, and draw how alike their components are.

    Components are matched in pairs, so that the sum of their cosines is the largest.

    Parameters
    ----------
    model : estimator
        Fitted or not; clones of it are fitted.
    A : array-like of shape (n_samples, n_features)
        The data.
    n_starts : int, default=5
        How many starts.
    random_state : int, default=0
        The seed of the first start; the others follow.
    ax : matplotlib Axes, default=None
        Where to draw; None opens a figure.

    Returns
    -------
    dict
        "cosines": array (n_starts, n_starts) of mean cosines; "reconstructions": the same of
        relative distances between the reconstructions.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rnmf_tutorial import HuberNMF
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0])
    >>> told = agreement_of_starts(HuberNMF(1), A, n_starts=2)
    >>> told["cosines"].round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    >>> plt.close()
    """
    data, bases, fits = as_floats(A, "agreement_of_starts"), [], []
    for k in range(n_starts):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = clone(model).set_params(random_state=random_state + k, init="random")
            fits.append(one.fit_transform(data) @ one.components_)
        norms = np.linalg.norm(one.components_, axis=1, keepdims=True)
        bases.append(one.components_ / np.where(norms > 0, norms, 1))
    cosines, distances = np.eye(n_starts), np.zeros((n_starts, n_starts))
    for i in range(n_starts):
        for j in range(n_starts):
            pairs = bases[i] @ bases[j].T
            cosines[i, j] = pairs[linear_sum_assignment(-pairs)].mean()
            distances[i, j] = np.linalg.norm(fits[i] - fits[j]) / np.linalg.norm(fits[i])
    ax = ax or _new_axes(figsize=(4, 3))
    shown = ax.imshow(cosines, vmin=0, vmax=1, cmap="cividis")
    ax.set(xlabel="start", ylabel="start", title="mean cosine of matched components")
    ax.figure.colorbar(shown, ax=ax)
    return {"cosines": cosines, "reconstructions": distances}


def planted_errors(model, A, share=0.01, random_state=None, ax=None):
    r"""Write known errors into the data, fit again, and draw what became of them.

    Parameters
    ----------
    model : estimator
        Fitted or not; a clone of it is fitted.
    A : array-like of shape (n_samples, n_features)
        The data.
    share : float, default=0.01
        Which part of the entries gets an error.
    random_state : int, RandomState or None, default=None
        The seed of the places and the errors.
    ax : matplotlib Axes, default=None
        Where to draw; None opens a figure.

    Returns
    -------
    dict
        "left": the median of what is left of the errors, \|prediction - truth\| over
        \|error - truth\|, 0 where all were found, near 1 where they were believed; "found": the
        share of which less than half is left.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rnmf_tutorial import HuberNMF
    >>> A = np.random.default_rng(0).uniform(1, 2, (30, 2)) @ np.ones((2, 40))
    >>> told = planted_errors(HuberNMF(2, random_state=0, solver="cd"), A, random_state=0)
    >>> told["found"] > 0.5
    True
    >>> plt.close()
    """
    rng = check_random_state(random_state)
    data = as_floats(A, "planted_errors")
    planted = hidden_entries(~np.isnan(data), share, rng)
    spoiled = planted_values(data, planted, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = clone(model)
        prediction = one.fit_transform(spoiled) @ one.components_
    planted &= spoiled != data  # a value may be drawn that was there
    truth, error = data[planted], spoiled[planted] - data[planted]
    left = np.abs(prediction[planted] - truth) / np.abs(error)
    ax = ax or _new_axes(figsize=(4, 3))
    ax.plot(truth, prediction[planted], ".", color="#0072B2")
    ax.axline((0, 0), slope=1, color="k", lw=0.8)
    ax.set(xlabel="planted over", ylabel="restored")
    return {"left": float(np.median(left)), "found": float((left < 0.5).mean())}


def _new_axes(**options):
    """Return the axes of a new figure."""
    try:
        import matplotlib.pyplot as plt  # only who draws needs it
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Matplotlib draws this figure: install it with `pip install matplotlib`."
        ) from error
    return plt.subplots(**options)[1]
