"""Every class with its defaults, and a search, on every problem: the errors against the truth."""

import time
import warnings
from functools import partial

import numpy as np

import rnmf_tutorial
from rnmf_tutorial import MaskedSearchCV
from studies import Grid
from studies.selection.pieces import PIECES
from studies.selection.problems import DATA, problem
from studies.selection.ranks import RANKS
from studies.selection.tables import DAMAGE, TABLES, table

#: The sets on which the candidates and the rule of the choice were set; the others
#: judge.
SETTING = ["ORL", "CBCL", "digits", "low rank"]

CORRUPTIONS = [
    *("none 0", "Gaussian 0.1", "Gaussian 0.3", "Laplace 0.2", "salt & pepper 10"),
    *("salt & pepper 30", "salt & pepper 50", "block 14", "strangers 20"),
]

#: The classes that are compared, with their defaults.
CLASSES = [
    "NMF",
    "CappedNMF",
    "L21NMF",
    "RobustNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "CauchyNMF",
]
CLASSES += ["CIMNMF", "TruncatedCauchyNMF"]
#: Name -> class and parameters: the same, and those with the divergence of Kullback and
#: Leibler.
MODELS = {name: (name, {}) for name in CLASSES}
MODELS |= {"NMF KL": ("NMF", {"loss": "kullback-leibler"})} | {
    f"{name} KL": (name, {"divergence": "kullback-leibler"})
    for name in ("HuberNMF", "CauchyNMF", "CIMNMF")
}


def relative(prediction, task):
    """Return the relative error against the clean data, over the samples that are samples."""
    E, A = prediction - task.clean, task.clean
    return np.sqrt(np.nansum(E[task.kept] ** 2) / np.nansum(A[task.kept] ** 2))


def cell(data, corruption, seed):
    """Fit every model, and let a search choose; a row for each.

    All models start where the candidates of the search do: its error over theirs is
    that of its choice, and not of another start.
    """
    task, rows = (table if data in TABLES else problem)(data, corruption, seed), []
    start = np.random.RandomState(seed).randint(2**31 - 1)

    def note(name, fit):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            started = time.process_time()
            prediction, chosen = fit()
            cpu = time.process_time() - started
        numbers = {"error": relative(np.asarray(prediction), task), "cpu": cpu}
        numbers = {key: float(f"{value:.5g}") for key, value in numbers.items()}
        rows.append({"model": name, **numbers, "chosen": chosen})

    def fit_model(kind, options):
        options = {"max_iter": 100, "tol": 1e-4, "random_state": start} | options
        model = getattr(rnmf_tutorial, kind)(task.rank, **options)
        return model.fit_transform(task.data) @ model.components_, None

    def search():
        found = MaskedSearchCV(n_components=task.rank, random_state=seed).fit(task.data)
        assert found.candidates_[0].random_state == start
        name = found.cv_results_["candidate"][found.best_index_].split(",")[0]
        return found.inverse_transform(found.transform(task.data)), name

    for name, model in MODELS.items():
        note(name, partial(fit_model, *model))
    note("search", search)
    return rows


CHOICES = Grid(
    "selection-choices",
    cell,
    quick={"seed": [0], "corruption": ["salt & pepper 10"], "data": ["low rank"]},
    paper={"seed": list(range(5)), "corruption": CORRUPTIONS, "data": list(DATA)},
)
UNSEEN = Grid(
    "selection-unseen",
    cell,
    quick={"seed": [55], "corruption": ["tenfold 3"], "data": ["wine"]},
    paper={"seed": list(range(55, 60)), "corruption": DAMAGE, "data": list(TABLES)},
)

NEEDED = ["yale32", "umist", "yaleb", "cbcl"]

GRIDS = [(CHOICES, NEEDED), (UNSEEN, []), (RANKS, []), (PIECES, NEEDED)]


def errors(rows):
    """Return the errors, indexed by corruption, data and seed, with a column for each model.

    Parameters
    ----------
    rows : DataFrame
        Of :data:`CHOICES` or :data:`UNSEEN`.

    Returns
    -------
    DataFrame
    """
    keys = ["corruption", "data", "seed"]
    table = rows.pivot(index=keys, columns="model", values="error")
    return table[[*MODELS, "search"]].rename_axis(columns=None)


def regrets(table):
    """Divide errors by the lowest error of a class, which only the truth can name.

    Parameters
    ----------
    table : DataFrame
        What :func:`errors` returns.

    Returns
    -------
    DataFrame
    """
    return table.div(table.drop(columns="search").min(axis=1), axis=0)
