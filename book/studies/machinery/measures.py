"""What several studies and chapters measure, and how they look into a fit."""

import timeit

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


def keep_sweeps(numbers):
    """Return a dict and the callback that fills it: sweep -> (W, H) after that sweep."""
    kept = {}

    def keep(sweep, W, H, point):
        if sweep in numbers:
            kept[sweep] = W.copy(), H.copy()

    return kept, keep


def follow(model, A, look, sweeps=None):
    """Fit; return what `look(point)` finds after each sweep, or some of them: sweep -> that."""
    seen = {}

    def note(sweep, W, H, point):
        if sweeps is None or sweep in sweeps:
            seen[sweep] = look(point)

    model.set_params(callback=note).fit(A)
    return seen


def weighted_violation(X, W, H, Q):
    """Largest KKT violation in W of the weighted squared error, relative to its terms.

    Weights of a robust loss at W, H give the violation of that loss. The one in H is
    ``weighted_violation(X.T, H.T, W.T, Q.T)``.
    """
    return checks.kkt_residual(W, (Q * (W @ H - X)) @ H.T, scale=((Q * X) @ H.T).max())


def seconds_per_sweep(model, X, W, H, *, number=3, repeat=5, **options):
    """Time a sweep with its objective, begun at W, H; the shortest mean of `number`."""
    run = clone(model).set_params(n_components=W.shape[1], init=(W, H)).begin(X.T)

    def sweep_and_objective():
        run.sweep(max_iter=run.n_sweeps + 1)

    seconds = timeit.repeat(
        sweep_and_objective, number=number, repeat=repeat, **options
    )
    return min(seconds) / number
