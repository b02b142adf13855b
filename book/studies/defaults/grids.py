"""What a default costs where nothing is wrong, and what it gives where something is."""

import warnings

import numpy as np
import pandas as pd

import rnmf_tutorial
from rnmf_tutorial.data import add_salt_and_pepper, load_orl
from rnmf_tutorial.measures import relative_error
from studies import Grid

NAMES = ["NMF", "RobustNMF", "HuberNMF", "HypersurfaceNMF", "CauchyNMF", "CIMNMF"]
NAMES += ["TruncatedCauchyNMF", "L21NMF", "CappedNMF", "L1RobustNMF"]
#: Model -> its parameters with the rules of its paper, by the solver of the defaults.
PUBLISHED = {
    **{name: {"scale": "published"} for name in NAMES[2:6]},
    "TruncatedCauchyNMF": {"scale": "published", "outliers": "three-sigma"},
    "CappedNMF": {"theta": "published"},
    "L1RobustNMF": {"lam": 0.04},
}
#: What the rows call a model -> the name of its class, and its parameters.
MODELS = {name: (name, {}) for name in NAMES}
MODELS |= {f"{name}, published": (name, options) for name, options in PUBLISHED.items()}

#: How the factors of low-rank data are drawn.
FACTORS = {
    "dense": lambda rng, shape: rng.uniform(size=shape),
    "sparse": lambda rng, shape: (
        rng.uniform(size=shape) * (rng.uniform(size=shape) < 0.4)
    ),
    "skewed": lambda rng, shape: rng.lognormal(size=shape),
}
SIZES = {"small": (60, 25, 5), "large": (200, 80, 4)}


def low_rank(seed, factors, size, noise, gross):
    """Return data of mean one with noise and gross errors, the truth and its rank."""
    rows, columns, r = SIZES[size]
    rng = np.random.default_rng([seed, rows])
    draw = FACTORS[factors]
    truth = draw(rng, (rows, r)) @ draw(rng, (r, columns))
    truth /= truth.mean()
    A = np.maximum(truth + noise * rng.standard_normal(truth.shape), 0)
    most = np.quantile(truth, 0.999)
    kind, _, percent = gross.partition(" ")
    errors = {
        "none": A,
        "uniform": rng.uniform(0, 2 * most, A.shape),
        "salt": most * rng.integers(0, 2, A.shape),
        "tenfold": 10 * A,
    }[kind]
    return (
        np.where(rng.uniform(size=A.shape) < float(percent or 0) / 100, errors, A),
        truth,
        r,
    )


def _error(model, A, truth, r, seed, max_iter):
    name, options = MODELS[model]
    kind = getattr(rnmf_tutorial, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind(r, solver="cd", max_iter=max_iter, random_state=seed, **options)
        return relative_error(truth, model.fit_transform(A) @ model.components_)


def low_rank_cell(seed, factors, size, noise, gross):
    """Return the error of every model against the truth."""
    task = low_rank(seed, factors, size, noise, gross)
    return [
        {"model": model, "rre": _error(model, *task, seed, 300)} for model in MODELS
    ]


def faces_cell(seed, percent):
    """Return the same for every second face under salt and pepper."""
    faces = load_orl(32).data[::2]
    A, _ = add_salt_and_pepper(faces, percent / 100, random_state=seed)
    return [
        {"model": model, "rre": _error(model, A, faces, 25, seed, 100)}
        for model in MODELS
    ]


#: Draws on which nothing was chosen.
_DRAWS = {"seed": [100, 101, 102], "factors": list(FACTORS), "size": list(SIZES)}
CLEAN = Grid(
    "defaults-clean",
    low_rank_cell,
    quick={"seed": [100], "factors": ["skewed"], "size": ["small"], "noise": [0.01]}
    | {"gross": ["none"]},
    paper=_DRAWS | {"noise": [0.0, 0.01, 0.05, 0.1], "gross": ["none"]},
)
GROSS = Grid(
    "defaults-gross",
    low_rank_cell,
    quick={"seed": [100], "factors": ["dense"], "size": ["small"], "noise": [0.02]}
    | {"gross": ["salt 10"]},
    paper=_DRAWS
    | {
        "noise": [0.02],
        "gross": ["tenfold 3", "uniform 10", "salt 10", "uniform 30", "salt 30"],
    },
)
FACES = Grid(
    "defaults-faces",
    faces_cell,
    quick={"seed": [100], "percent": [10]},
    paper={"seed": [100, 101, 102], "percent": [0, 10, 30]},
)
#: Grid -> the data sets that it needs.
GRIDS = [(CLEAN, []), (GROSS, []), (FACES, [])]


def over_nmf(rows):
    """Return the error of each model over that of plain NMF, 2e-3 added to both, by cell."""
    axes = [
        name for name in ("seed", "factors", "size", "noise", "gross") if name in rows
    ]
    errors = rows.pivot_table(index=axes, columns="model", values="rre") + 2e-3
    return errors.div(errors["NMF"], axis=0)


def beside_published(clean, gross, faces, names):
    """Return what defaults cost and give, as text; in brackets the same with a paper's rules.

    Parameters
    ----------
    clean, gross, faces : DataFrame
        What :func:`over_nmf` returns; the median errors; the mean errors at one
        percentage.
    names : list of str
        Of the classes.

    Returns
    -------
    DataFrame
    """
    columns = {
        "nothing wrong: worst": clean.max().map("{:.2f}".format),
        "gross errors": gross.map("{:.3f}".format),
        "faces, 30%": faces.map("{:.3f}".format),
    }
    table = pd.DataFrame(columns)
    rules = table.filter(like=", published", axis=0).rename(
        lambda name: name.split(",")[0]
    )
    return table.loc[names] + (" (" + rules + ")").reindex(names).fillna("")
