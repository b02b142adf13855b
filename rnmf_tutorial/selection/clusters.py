r"""Whether the large residuals of a fit lie together: in samples, in features, or in runs.

Scattered errors hit every sample, and every feature, at one rate p. Of n counts k_i among N_i
entries each, the dispersion
:math:`D = \frac{1}{n-1}\sum_i \frac{(k_i - N_i p)^2}{N_i p (1 - p)}` is then about one, with the
standard deviation :math:`\sqrt{2/(n - 1)}`; rates that vary around p by a factor v of it add
:math:`v^2 \bar N p / (1 - p)`. In a sample with k large ones among N in random order,
:math:`k (k - 1) / N` pairs of neighbors are large together by chance, with
:math:`(N - k + 1)(N - k) / (N (N - 1))` times as much variance (Wald and Wolfowitz, *On a test
whether two samples are from the same population*, 1940); a feature that is large more often than
others counts as much more.
"""

import numpy as np

from rnmf_tutorial.core import positive_mean

__all__ = ["about_clusters", "clusters", "is_large"]

#: What is told: from this share of large residuals on, so many deviations beyond chance, rates
#: that vary by more than this, and so many times the neighbors of chance; measured.
LEAST, DEVIATIONS, VARIATION, TIMES = 0.02, 5.0, 2.0, 2.5


def is_large(data, fitted):
    """Return where a residual is beyond five robust deviations and a tenth of the data's mean.

    Parameters
    ----------
    data, fitted : ndarray of shape (n_samples, n_features)
        NaN in the data is missing, and not large.

    Returns
    -------
    ndarray of bool of shape (n_samples, n_features)

    Examples
    --------
    >>> data = np.array([[1.0, 2.0, np.nan], [1.0, 9.0, 1.0]])
    >>> is_large(data, np.ones((2, 3))).sum().item()
    2
    """
    sizes = np.abs(data - fitted)
    return sizes > max(5 * 1.4826 * float(np.nanmedian(sizes)), positive_mean(data) / 10)


def clusters(large, known):
    """Compare how large residuals lie with how they would lie by chance.

    Parameters
    ----------
    large : ndarray of bool of shape (n_samples, n_features)
    known : ndarray of bool of shape (n_samples, n_features)
        The entries that are not missing.

    Returns
    -------
    dict
        For "samples", "features" and "runs" a pair: how many standard deviations beyond chance,
        and by how much: the squared variation of the rates of the samples or of the features, and
        the number of large neighbors over that of chance.

    Examples
    --------
    >>> large = np.zeros((50, 40), bool)
    >>> large[:5] = True
    >>> found = clusters(large, np.ones_like(large))
    >>> [name for name, (deviations, _) in found.items() if deviations > 5]
    ['samples']
    """
    p, found = large.sum() / known.sum(), {}
    for axis, name in ((1, "samples"), (0, "features")):
        k, n = large.sum(axis=axis), known.sum(axis=axis)
        k, n = k[n > 0], n[n > 0]
        dispersion = ((k - n * p) ** 2 / (n * p * (1 - p))).sum() / (len(n) - 1)
        deviations = (dispersion - 1) * np.sqrt((len(n) - 1) / 2)
        found[name] = deviations, (dispersion - 1) * (1 - p) / (n.mean() * p)
    k, n = large.sum(axis=1), np.maximum(known.sum(axis=1), 2)
    rates = large.sum(axis=0) / np.maximum(known.sum(axis=0), 1) / p
    chance = np.outer(k * (k - 1) / (n * (n - 1)), rates[1:] * rates[:-1])
    chance = (np.minimum(chance, 1) * (known[:, 1:] & known[:, :-1])).sum(axis=1)
    runs, expected = (large[:, 1:] & large[:, :-1]).sum(), chance.sum()
    spread = np.sqrt((chance * (n - k + 1) * (n - k) / (n * (n - 1))).sum())
    found["runs"] = (runs - expected) / max(spread, 1e-9), runs / max(expected, 1e-9)
    return found


def about_clusters(data, fitted, model=None):
    """Return a sentence on large residuals that lie together, with what to try; or None.

    Parameters
    ----------
    data, fitted : ndarray of shape (n_samples, n_features)
        NaN in the data is missing.
    model : estimator, default=None
        What made the fit: one that leaves whole samples out need not be advised.

    Returns
    -------
    str or None

    Examples
    --------
    >>> data = np.ones((50, 40))
    >>> data[:, :4] = 9.0
    >>> about_clusters(data, np.ones((50, 40)))[:56]
    'Of the entries, 10 % are far from the fit, and they lie '
    """
    large, known = is_large(data, fitted), ~np.isnan(data)
    share = large.sum() / known.sum()
    if not LEAST <= share < 1 or min(data.shape) < 3:
        return None
    found = clusters(large, known)
    advice = []
    for name, (deviations, by) in found.items():
        if deviations > DEVIATIONS and by > (TIMES if name == "runs" else VARIATION):
            group = getattr(model, "group", "") == name
            advice += [] if group else [ADVICE[name].format(by)]
    if not advice:
        return None
    return f"Of the entries, {100 * share:.0f} % are far from the fit, and they lie {advice[0]}" + (
        "".join(f"; and {other}" for other in advice[1:]) + "."
    )


#: Where they lie -> what to say of it.
ADVICE = {
    "samples": "in some samples rather than in all: see suspects(search, A, by='samples'), and "
    "try CappedNMF, which leaves such samples out",
    "features": "in some features rather than in all: see suspects(search, A, by='features') and "
    "mark(A), and try CappedNMF(group='features') or set these features to NaN",
    "runs": "next to each other, {:.1f} times as often as by chance: if the features have an "
    "order, give shape=, which hides regions and tries windows, or set what is damaged to NaN "
    "(mark)",
}
