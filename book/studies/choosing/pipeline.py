"""NMF as a step of a scikit-learn pipeline: who is it, behind a block?"""

from functools import lru_cache
from tempfile import TemporaryDirectory

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from rnmf_tutorial.published import guan
from studies import grid
from studies.choosing.faces import problem

_OPTIONS = {"n_components": 40, "max_iter": 100, "tol": 0, "random_state": 0}

#: Features -> the step that makes them, and the values to search among.
FEATURES = {
    "pixels": ("passthrough", {}),
    "NMF": (guan.NMF(**_OPTIONS), {}),
    "RobustNMF": (guan.RobustNMF(**_OPTIONS), {"features__lam": [0.05, 0.1, 0.2, 0.4]}),
    "HuberNMF": (guan.HuberNMF(**_OPTIONS), {}),
    "CIMNMF": (
        guan.CIMNMF(**_OPTIONS),
        {"features__scale": ["published", 0.1, 0.2, 0.4]},
    ),
}
CLASSIFIERS = [KNeighborsClassifier(1), LogisticRegression(max_iter=1000)]


@lru_cache(maxsize=1)
def halves(corruption, seed):
    """Return the corrupted faces and people in two halves, five images of each person in both."""
    task = problem(corruption, seed)
    return train_test_split(
        task.data, task.target, test_size=0.5, stratify=task.target, random_state=seed
    )


def search(features, cache):
    """Return a grid search over the features' parameter and two classifiers.

    Parameters
    ----------
    features : str
        One of :data:`FEATURES`.
    cache : str
        A folder where a fitted step is kept, so that both classifiers share it.

    Returns
    -------
    sklearn.model_selection.GridSearchCV
    """
    step, values = FEATURES[features]
    pipeline = Pipeline(
        [("features", step), ("scale", StandardScaler()), ("classify", CLASSIFIERS[0])],
        memory=cache,
    )
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return GridSearchCV(pipeline, {"classify": CLASSIFIERS, **values}, cv=folds)


def pipeline_cell(seed, corruption, features):
    """Search on one half of the images, recognize the people on the other."""
    train, test, people, answers = halves(corruption, seed)
    with TemporaryDirectory() as cache:
        found = search(features, cache).fit(train, people)
    chosen = found.best_params_
    return {
        "accuracy": found.score(test, answers),
        "in_folds": found.best_score_,
        "classifier": type(chosen.pop("classify")).__name__,
        "value": next(iter(chosen.values()), None),
    }


PIPELINE = grid(
    "choosing-pipeline",
    pipeline_cell,
    {"corruption": ["blocks 8"], "features": ["pixels", "NMF"]},
    seed=range(3),
    corruption=["none 0", "blocks 8", "salt & pepper 30"],
    features=list(FEATURES),
)
