"""What several studies and chapters measure, and how they look into a fit."""

import timeit
from functools import partial

from sklearn.base import clone

from rnmf_tutorial import checks
from rnmf_tutorial.measures import clustering_accuracy, normalized_mutual_information
from studies.machinery.protocols import kmeans_clustering


def clusters(F, target, n_init=10):
    """Return the best of k-means runs on the rows of F, with as many clusters as classes."""
    return kmeans_clustering(F, len(set(target)), n_init=n_init, random_state=0)


def agreement(target, found, **averages):
    """Return the accuracy `ac`, and the mutual information for each way to divide it.

    `averages` maps the name of a score to the mean of the entropies that divides it,
    such as ``nmi="max"``.
    """
    scores = {
        name: normalized_mutual_information(target, found, average=average)
        for name, average in averages.items()
    }
    return {"ac": clustering_accuracy(target, found), **scores}


def follow(model, A, look, sweeps=None):
    """Return what `look(sweep)` finds at the start and after each sweep, by its number.

    `look` gets a :class:`~rnmf_tutorial.base.Sweep`. If the numbers of some `sweeps`
    are given, it sees only these. The model is not fitted.
    """
    return {
        sweep.number: look(sweep)
        for sweep in model.sweeps(A)
        if sweeps is None or sweep.number in sweeps
    }


def problem_of(model, A, y=None):
    """Return the problem that ``model.fit(A, y)`` solves.

    It is a :class:`~rnmf_tutorial.base.Problem`, with the loss, the solver and the
    penalties. The package has no public name for it, because its users need only the
    sweeps of a fit. Only our studies also ask what a model consists of.
    """
    problem, _ = model._prepare(A, y)
    return problem


def states_of(model, A, y=None):
    """Return the states of ``model.fit(A, y)``, which also have what the solver remembers."""
    _, states = model._prepare(A, y)
    return states


def weighted_violation(X, W, H, Q):
    """Largest KKT violation in W of the weighted squared error, relative to its terms.

    Weights of a robust loss at W, H give the violation of that loss. The one in H is
    ``weighted_violation(X.T, H.T, W.T, Q.T)``.
    """
    return checks.kkt_residual(W, (Q * (W @ H - X)) @ H.T, scale=((Q * X) @ H.T).max())


def seconds_per_sweep(model, X, W, H, *, number=3, repeat=5, **options):
    """Return the seconds that one sweep and its objective take, from a start W, H.

    The sweeps are timed in `repeat` series of `number`. The result is the mean of the
    fastest series.
    """
    model = clone(model).set_params(
        n_components=W.shape[1], init=(W, H), max_iter=number * repeat, tol=0
    )
    sweeps = model.sweeps(X.T)
    next(sweeps)  # the start
    one_sweep = partial(next, sweeps)
    seconds = timeit.repeat(one_sweep, number=number, repeat=repeat, **options)
    return min(seconds) / number
