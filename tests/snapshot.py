"""What each public estimator computes and says today, and how that differs from what is stored.

    python -m tests.snapshot             # print what differs from tests/snapshot.json
    python -m tests.snapshot --update    # print it, and store what is computed now

A change that is meant to alter a result updates the file and gives the reason in its
commit. Only the public interface is used here, so that the snapshot survives a change
of what is behind it.

The file has a line for each model and kind of data; texts are stored once, under a key.
Numbers are rounded to 13 digits. Of a large array, its norm and its products with two
pairs of fixed random vectors are stored: a change of any entry changes them.
"""

import argparse
import hashlib
import inspect
import json
import re
import traceback
import warnings
from contextlib import nullcontext
from functools import cache, partial
from importlib.metadata import version
from itertools import islice, product
from numbers import Real
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.utils import get_tags

import rnmf_tutorial as rt
from rnmf_tutorial import published, selection
from rnmf_tutorial.papers import cheng, diaz, guan, lee, regularized, zhang

try:
    import dask
    import dask.array as da
except ImportError:  # Dask is optional
    dask = None

STORED = Path(__file__).with_name("snapshot.json")
#: A fit has thirty sweeps, or fewer where rounding decides what comes then: see
#: `stable_sweeps`.
SWEEPS = [30, 20, 12, 8, 4, 2]
PASSES = 30
#: The sweeps whose objectives are stored.
SHOWN = [0, 1, 2, 4, 8, 12, 20, 30]
#: The relative difference that is no change. The sweeps are so many that rounding
#: changes no result by more than a fifth of it.
TOLERANCE = 1e-10
SINGLE_TOLERANCE = 2e-4
#: Texts show numbers with three digits, and the last one may differ.
PRINTED_TOLERANCE = 0.011
#: Whose errors are told apart from ours. Their words are compared where their versions
#: are stored.
LIBRARIES = {"sklearn", "numpy", "scipy", "dask"}
VERSIONS = {name: version(name) for name in ("numpy", "scikit-learn", "scipy")}
ELSEWHERE = " from another library:"


# ------------------------------------------------------------------ data


def table(n_samples, seed):
    """Return samples of three components, with noise and a few gross errors."""
    rng = np.random.default_rng(seed)
    components = np.random.default_rng(0).random((3, 16))
    A = rng.random((n_samples, 3)) @ components + 0.1 * rng.random((n_samples, 16))
    A = np.where(rng.random(A.shape) < 0.04, 3 + rng.random(A.shape), A)
    return A.round(6)  # the same bits on every processor


A = table(24, seed=1)
NEW = table(5, seed=2)
LABELS = np.arange(24) % 3
_RNG = np.random.default_rng(3)
HOLES = np.where(_RNG.random(A.shape) < 0.1, np.nan, A)
MANY_ZEROS = np.where(_RNG.random(A.shape) < 0.4, 0, A)
_START = (
    _RNG.uniform(0.1, 1, (16, 3)).round(6),
    _RNG.uniform(0.1, 1, (3, 24)).round(6),
)


def chunked(array):
    """Return a Dask array whose last chunk is small."""
    return da.from_array(array, chunks=(10, 16))


#: The kind of the data -> the numbers, and what makes the data of a copy of them.
KINDS = {
    "complete": (A, np.array),
    "missing": (HOLES, np.array),
    "float32": (A, np.float32),
    "sparse": (MANY_ZEROS, csr_array),
    "dask": (A, chunked),
}


def data_of(kind, seed=None):
    """Return data of a kind; with a seed, each number is changed by about its rounding error."""
    numbers, made = KINDS[kind]
    if seed is not None:
        size = 1e-7 if kind == "float32" else 1e-15
        signs = np.random.default_rng(seed).choice([-1, 1], numbers.shape)
        numbers = numbers * (1 + size * signs)
    return made(numbers.copy())


# ------------------------------------------------------------------ cases


def choices(Model, **values):
    """Return a model for each combination of these values of its parameters."""
    combinations = product(*values.values())
    return [Model(**dict(zip(values, each, strict=True))) for each in combinations]


def of_package(model):
    """Return a model of a paper as one of the package, which shows its parameters."""
    return getattr(rt, type(model).__name__)(**model.get_params())


def all_models():
    """Return every estimator with each value of its solver, loss, scale and other rules."""
    solvers = ["cd", "mu"]
    divergences = ["frobenius", "kullback-leibler"]
    scales = [None, 0.2, "published"]
    groups = ["samples", "features"]
    models = choices(
        rt.NMF, loss=divergences, normalize=[None, "l1", "l2"], solver=solvers
    )
    models += choices(rt.NMF, init=["nndsvd", "nndsvda", "nndsvdar", _START])
    models += choices(rt.HypersurfaceNMF, scale=[None, 0.2], solver=solvers)
    models += choices(
        rt.HypersurfaceNMF, scale=[0.2], divergence=divergences, solver=solvers
    )
    for Model in (rt.HuberNMF, rt.CauchyNMF, rt.CIMNMF):
        models += choices(Model, scale=scales, divergence=divergences, solver=solvers)
    for solver in ("cd", "nesterov"):
        truncated = partial(choices, rt.TruncatedCauchyNMF, solver=[solver])
        rules = ["scale", "three-sigma", "mad", "mixture", 0.4, None]
        models += truncated(scale=[0.2], outliers=rules)
        models += truncated(
            scale=[None, "published"], outliers=["scale", "three-sigma"]
        )
    models += choices(rt.L21NMF, group=groups, solver=solvers)
    models += choices(
        rt.CappedNMF, group=groups, theta=[None, 1.0, "published"], solver=solvers
    )
    models += choices(rt.RobustNMF, lam=[None, 0.3], solver=solvers)
    models += choices(rt.L1RobustNMF, lam=[None, 0.04], solver=solvers)
    models += [rt.L1NMF(), rt.NeNMF(), rt.LocalNMF()]
    models += [
        rt.RegularizedNMF(),
        rt.RegularizedNMF(lam=0.2),
        rt.RegularizedNMF(lam_theta=0.0),
    ]
    models += choices(rt.CSNMF, scale=["published", 0.3], lam=[None, 0.1])
    models += choices(rt.SupervisedNMF, lam=[None, 1.0], encoding=["nnls", "pinv"])
    models += choices(rt.MCCGR, scale=["published", 0.3], lam=[None, 0.1])
    models += choices(rt.ManifoldDiscriminativeNMF, lam=[1e-5, 1.0], n_neighbors=[2, 5])
    models += choices(rt.RobustManifoldNMF, lam=[1e-5, 0.1])
    for paper in published.PAPERS.values():
        models += [of_package(getattr(paper, name)()) for name in paper.__all__]
    return models


def name_of(model):
    """Return a short name: the class, and the parameters that differ from their defaults."""
    kind = getattr(rt, type(model).__name__)  # also of a class of `published`
    default = kind().get_params()
    own = {}
    for parameter, value in model.get_params().items():
        if isinstance(value, tuple):
            own[parameter] = "'given'"
        elif value != default[parameter]:
            own[parameter] = repr(value)
    told = ", ".join(f"{parameter}={value}" for parameter, value in own.items())
    return f"{type(model).__name__}({told})"


MODELS = {name_of(model): model for model in all_models()}


def plain_models():
    """Return one of each estimator by default, and with the parameters of its paper."""
    models = [type(model)() for model in MODELS.values()]
    models += [of_package(published.of(model)) for model in models]
    return {name_of(model): model for model in models}


AWKWARD_MODELS = plain_models()
#: The models that are fitted until they have converged, too.
CONVERGED = [name for name in MODELS if name in AWKWARD_MODELS or "normalize" in name]
CONVERGED += [
    f"{name}(divergence='kullback-leibler')" for name in ("HuberNMF", "CauchyNMF")
]


# ------------------------------------------------------------------ what is stored


def rounded(number):
    """Return a float with 13 digits."""
    return float(f"{number:.13g}")


def digest(array):
    """Return the norm of an array and two products with random vectors, as a list of floats."""
    values = np.atleast_2d(np.asarray(array, float))
    rng = np.random.default_rng(values.shape)
    numbers = [np.linalg.norm(values)]
    for _ in range(2):
        left = rng.uniform(-1, 1, len(values))
        right = rng.uniform(-1, 1, values.shape[1])
        numbers.append(left @ values @ right)
    return [rounded(number) for number in numbers]


def type_of(value):
    """Return what an attribute is: its class, and the dtype and shape of an array."""
    name = type(value).__name__
    if not hasattr(value, "dtype"):
        return name
    return f"{'' if name == 'ndarray' else name + ' '}{value.dtype} {value.shape}"


def numbers_of(value):
    """Return the numbers of an attribute: itself, or the digest of an array; none of a text."""
    if isinstance(value, Real):
        return [rounded(value)]
    if issparse(value):
        value = value.toarray()
    values = np.asarray(value)
    return digest(values) if values.dtype.kind in "biuf" else []


def described(shown):
    """Return the types of attributes by name as one text, and the numbers of each."""
    types = ", ".join(f"{name} {type_of(value)}" for name, value in shown.items())
    numbers = {name: numbers_of(value) for name, value in shown.items()}
    return {"types": types} | {name: found for name, found in numbers.items() if found}


def attributes(model):
    """Return the public fitted attributes by name."""
    names = [
        name for name in vars(model) if name.endswith("_") and not name.startswith("_")
    ]
    return {name: getattr(model, name) for name in sorted(names)}


def said_by(error):
    """Return the class and the text of an error; of one from another library its first line."""
    *_, last = traceback.extract_tb(error.__traceback__)
    text = re.sub("0x[0-9a-f]+", "0x...", str(error))  # the address of a function
    if LIBRARIES.isdisjoint(Path(last.filename).parts):
        return f"{type(error).__name__}: {text}"
    return f"{type(error).__name__}{ELSEWHERE} {text.splitlines()[0]}"


def told(call):
    """Return the result of a call, None if it fails, and the texts of its warnings and error."""
    result = None
    errors = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            errors.append(said_by(error))
    return result, [f"{w.category.__name__}: {w.message}" for w in caught] + errors


def bytes_of(data):
    """Return the bytes of an array or of a sparse array; None for what is neither."""
    if issparse(data):
        return b"".join(
            part.tobytes() for part in (data.data, data.indices, data.indptr)
        )
    return data.tobytes() if type(data) is np.ndarray else None


def with_data(method, data, *others):
    """Return what a method and its warnings say to data; fail if it changes them."""
    before = bytes_of(data)
    result, texts = told(lambda: method(data, *others))
    assert bytes_of(data) == before, f"{method.__qualname__} changed its input"
    return result, texts


def synchronous():
    """Return a context in which Dask computes in this thread."""
    return nullcontext() if dask is None else dask.config.set(scheduler="synchronous")


# ------------------------------------------------------------------ estimators


def record_of(name, stored=None):
    """Return what a model computes, by the kind of the data, after as many sweeps as is stored."""
    record = {}
    for kind in KINDS:
        if kind == "dask" and dask is None:
            continue
        sweeps = (stored or {}).get(kind, {}).get("sweeps", SWEEPS[0])
        record[kind] = fixed_sweeps(name, kind, sweeps)
    if name in CONVERGED:
        record["converged"] = until_converged(clone(MODELS[name]))
    return record


def fixed_sweeps(name, kind, sweeps, seed=None):
    """Return what a fit of so many sweeps has computed; for zero sweeps the types alone."""
    model = clone(MODELS[name])
    model.set_params(
        n_components=3, max_iter=sweeps or SWEEPS[-1], tol=0, random_state=0
    )
    with synchronous():
        Ht, texts = with_data(model.fit_transform, data_of(kind, seed), LABELS)
        fields = {"said": texts} if texts else {}
        if Ht is None:
            return fields
        history = [
            model.objective_history_[sweep] for sweep in SHOWN if sweep <= sweeps
        ]
        fields |= {"sweeps": sweeps, "history": [rounded(value) for value in history]}
        fields["WH"] = digest(np.asarray(Ht) @ model.components_)
        fields |= described({"coefficients": Ht} | attributes(model))
    if sweeps == 0:
        return {
            field: fields[field]
            for field in ("said", "sweeps", "types")
            if field in fields
        }
    for known in ("coefficients", "objective_history_", "n_features_in_", "n_iter_"):
        del fields[known]  # their types are enough
    return fields


def stable_sweeps(name, kind, sweeps):
    """Return the most sweeps after which rounding errors have not changed the result, or zero.

    A step that is taken only if it lowers the objective depends on rounding where a fit
    has converged. So a fit that converges quickly is stored after fewer sweeps.
    """
    for number in [number for number in SWEEPS if number <= sweeps]:
        own = fixed_sweeps(name, kind, number)
        near = [fixed_sweeps(name, kind, number, seed) for seed in range(3)]
        if not any(
            differences({kind: own}, {kind: other}, share=0.2) for other in near
        ):
            return number
    return 0


def until_converged(model):
    """Return what a fit with the default `tol` finds and says, and how it encodes new samples."""
    model.set_params(n_components=3, max_iter=100, random_state=0)
    Ht, texts = with_data(model.fit_transform, A.copy(), LABELS)
    fields = {"said": texts} if texts else {}
    fields["n_iter_"] = model.n_iter_
    fields["history"] = [rounded(model.objective_history_[-1])]
    fields["inverse_transform"] = digest(model.inverse_transform(Ht))
    encoded, texts = with_data(model.transform, NEW.copy())
    return (
        fields
        | {"transform": digest(encoded)}
        | ({"transform said": texts} if texts else {})
    )


# ---------------------------------------------------------- awkward data and parameters


def changed(place, value):
    """Return the data with another value at a place."""
    data = A.copy()
    data[place] = value
    return data


#: What is awkward -> data for a fit. The objectives of the first two are rounding
#: errors.
AWKWARD = {
    "zeros": np.zeros((24, 16)),
    "sparse zeros": csr_array((24, 16)),
    "a zero sample": changed(3, 0),
    "a zero feature": changed((slice(None), 3), 0),
    "one sample": A[:1],
    "one feature": A[:, :1],
    "one entry": A[:1, :1],
    "a negative entry": changed((3, 2), -0.5),
    "a mark": changed((slice(3), 2), -9),
    "infinity": changed((3, 2), np.inf),
    "a missing sample": changed(3, np.nan),
    "a missing feature": changed((slice(None), 3), np.nan),
    "all missing": np.full((24, 16), np.nan),
    "whole numbers": (10 * A).round().astype(int),
    "booleans": A > 0.7,
    "float16": A.astype(np.float16),
    "Fortran order": np.asfortranarray(A),
    "a list": A.tolist(),
    "a masked array": np.ma.masked_greater(A, 2.5),
    "no samples": np.zeros((0, 16)),
    "no features": np.zeros((24, 0)),
    "an empty list": [],
    "one dimension": A[0],
    "three dimensions": A[None],
    "a number": 1.0,
    "None": None,
    "huge": 1e160 * A,
    "large": 1e12 * A,
    "small": 1e-12 * A,
    "tiny": 1e-160 * A,
    "text": A.astype(str),
    "objects": A.astype(object),
    "complex numbers": A + 1j,
    "dates": np.zeros((24, 16), "M8[D]"),
    "sparse with NaN": csr_array(changed((3, 2), np.nan)),
    "sparse and negative": csr_array(changed((3, 2), -0.5)),
}
EXACT = list(AWKWARD)[:2]
#: What all estimators read in the same way: one solver of each is enough.
FORMS = [
    "whole numbers",
    "booleans",
    "float16",
    "Fortran order",
    "a list",
    "a masked array",
    "objects",
]
#: A parameter -> wrong values of it, for the estimators that have it.
WRONG = {
    "n_components": [0, 2.5, 17, "auto", None],
    "init": [
        "zeros",
        1,
        (A, A),
        (-_START[0], _START[1]),
        (_START[0] * np.nan, _START[1]),
    ],
    "max_iter": [0, 1.5, None],
    "tol": [-1, "small", np.nan],
    "random_state": ["seed", -1],
    "solver": ["newton", None],
    "loss": ["absolute"],
    "divergence": ["absolute"],
    "normalize": ["max"],
    "group": ["entries"],
    "encoding": ["lstsq"],
    "scale": [0, -1.0, "automatic", np.inf, 1e-4, 100.0],
    "theta": [0, -1.0, "automatic", 1e-3],
    "lam": [-1.0, "automatic", np.nan, 1e-3, 100.0],
    "lam_theta": [-1.0, None],
    "n_neighbors": [0, 1.5],
    "outliers": [0, "automatic", True, lambda *_: -1.0],
}
WRONG_LABELS = {
    "no labels": None,
    "too few labels": LABELS[:5],
    "labels in a table": np.ones((24, 2)),
    "one label": LABELS * 0,
    "words as labels": LABELS.astype(str),
    "labels with NaN": np.where(LABELS == 1, np.nan, LABELS),
}
WRONG_SAMPLES = {
    "fewer features": A[:, :15],
    "one dimension": A[0],
    "a negative entry": changed((3, 2), -0.5)[:5],
    "a missing entry": changed((3, 2), np.nan)[:5],
    "a missing sample": changed(3, np.nan)[:5],
    "infinity": changed((3, 2), np.inf),
    "zeros": np.zeros((2, 16)),
    "no samples": A[:0],
    "sparse data": csr_array(MANY_ZEROS[:5]),
}


def awkward_record(name):
    """Return what a model says to awkward data, parameters and calls."""
    said = {}
    objectives = {}
    for what, data in AWKWARD.items():
        if what in FORMS and not name.endswith("()"):
            continue
        model = prepared(name)
        labels = LABELS[: np.shape(data)[0]] if np.ndim(data) == 2 else LABELS
        fitted, said[what] = with_data(model.fit, data, labels)
        if fitted is not None and what not in EXACT:
            objectives[what] = [rounded(model.objective_history_[-1])]
    for parameter, values in WRONG.items():
        for k, value in enumerate(values if hasattr(prepared(name), parameter) else ()):
            model = prepared(name).set_params(**{parameter: value})
            _, said[f"{parameter}, wrong value {k}"] = with_data(model.fit, A, LABELS)
    return {"said": said | awkward_calls(name), "objectives": objectives}


def prepared(name):
    """Return a model for a short fit."""
    return clone(AWKWARD_MODELS[name]).set_params(max_iter=5, random_state=0)


def awkward_calls(name):
    """Return what a model says to calls in a wrong order, and with wrong labels or samples."""
    said = {}
    model = prepared(name).set_params(tol=0)
    _, said["transform before fit"] = told(lambda: model.transform(A))
    _, said["inverse_transform before fit"] = told(lambda: model.inverse_transform(A))
    needs_labels = get_tags(model).target_tags.required
    for what, labels in WRONG_LABELS.items() if needs_labels else [("no labels", None)]:
        _, said[what] = with_data(clone(model).fit, A, labels)
    model.fit(A, LABELS)
    for what, data in WRONG_SAMPLES.items():
        _, said[f"transform of {what}"] = with_data(model.transform, data)
    _, said["inverse_transform, wrong shape"] = told(lambda: model.inverse_transform(A))
    return said


# ----------------------------------------------------------------- papers and selection


def paper_records():
    """Return what the printed algorithms yield last, after so many passes."""
    X = A.T.copy()
    W, H = _START
    P, N = np.maximum(X - W @ H, 0) + 0.1, np.maximum(W @ H - X, 0) + 0.1
    unit = W / np.linalg.norm(W, axis=0)
    boxes = {
        "lee.euclid": lee.euclid(X, W, H),
        "lee.divergence": lee.divergence(X, W, H),
        "zhang.robust_nmf": zhang.robust_nmf(X, W, H, 0.3),
        "diaz.shen": diaz.shen(X, W, H, P, N, 0.04),
        "diaz.kong": diaz.kong(X, W, H),
        "regularized.rule_1": regularized.rule_1(X, W, H),
        "regularized.rule_2": regularized.rule_2(X, W, H),
        "regularized.lnmf": regularized.lnmf(X, W, H),
        "regularized.regularized_nmf": regularized.regularized_nmf(X, unit, H, 0.2),
        "guan.truncated_cauchy": guan.truncated_cauchy(X, W, H),
        "cheng.csnmf": cheng.csnmf(X, W, H, LABELS, 0.1),
        "cheng.snmf": cheng.snmf(X, W, H, LABELS, 0.1),
    }
    record = {}
    for name, box in boxes.items():
        with warnings.catch_warnings(action="ignore"):
            *_, last = islice(box, PASSES)
        record[name] = described(dict(zip("ABCDE", last, strict=False)))
    return record


def search_record():
    """Return what searches choose, their scores, and how they encode new samples."""
    options = {"max_iter": 30, "tol": 1e-3, "random_state": 0}
    models = {
        "NMF": rt.NMF(3, **options),
        "Huber": rt.HuberNMF(3, scale=0.1, **options),
    }
    searches = {
        "hidden": rt.MaskedSearchCV(models, random_state=0),
        "entries": rt.MaskedSearchCV(models, plant="entries", random_state=0),
        "rows": rt.MaskedSearchCV(models, plant="rows", random_state=0),
        "default candidates": rt.MaskedSearchCV(n_components=[2, 3], random_state=0),
    }
    record = {}
    for name, search in searches.items():
        _, texts = with_data(search.fit, HOLES.copy())
        record[name] = {
            "said": texts,
            "attributes": ", ".join(attributes(search)),
            "best": repr(search.best_estimator_),
            "scores": [
                rounded(score) for score in search.cv_results_["mean_test_score"]
            ],
            "transform": digest(search.transform(NEW)),
            "score": [rounded(search.score(NEW))],
        }
    return record


def selection_record():
    """Return what the functions that look at a table or a fit find."""
    model = rt.HuberNMF(3, scale=0.1, max_iter=50, tol=0, random_state=0).fit(A)
    clipped = np.minimum(A, 0.8)
    clipped[3:15, 2] = 0.5
    marked, report = selection.mark(clipped)
    record = {
        "default_candidates": {
            "names": ", ".join(selection.default_candidates(A, [2, 3]))
        },
        "mark": {"places": digest(np.isnan(marked)), "report": report.to_csv()},
    }
    tables = {
        f"suspects by {by}": selection.suspects(model, A, by=by)
        for by in ("entries", "samples", "features")
    }
    tables["planted_errors"] = selection.planted_errors(model, A, 0.05, random_state=0)
    for name, found in tables.items():
        record[name] = described({column: found[column].to_numpy() for column in found})
    record["agreement_of_starts"] = described(
        selection.agreement_of_starts(model, A, 3)
    )
    return record


def signatures():
    """Return how each public class and function is called."""
    kinds = {name: getattr(rt, name) for name in rt.__all__}
    called = {name: kind for name, kind in kinds.items() if hasattr(kind, "fit")}
    functions = (
        "mark",
        "suspects",
        "rank_curve",
        "planted_errors",
        "agreement_of_starts",
    )
    called |= {name: getattr(selection, name) for name in functions}
    return {
        name: {"called": str(without_types(inspect.signature(each)))}
        for name, each in called.items()
    }


def without_types(signature):
    """Return a signature without annotations, whose text depends on NumPy's version."""
    none = inspect.Signature.empty
    parameters = signature.parameters.values()
    bare = [parameter.replace(annotation=none) for parameter in parameters]
    return signature.replace(parameters=bare, return_annotation=none)


#: What is stored beside the models -> the function that computes it.
OTHERS = {
    "signatures": signatures,
    "papers": paper_records,
    "MaskedSearchCV": search_record,
    "selection": selection_record,
}


GROUPS = ("models", "awkward", "others")


def computed(before):
    """Return all that is stored, as it is computed now."""
    models = before["models"]
    return {
        "versions": VERSIONS,
        "models": {name: record_of(name, models.get(name)) for name in MODELS},
        "awkward": {name: awkward_record(name) for name in AWKWARD_MODELS},
        "others": {name: compute() for name, compute in OTHERS.items()},
    }


# ------------------------------------------------------------------ comparing


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def same_text(one, other):
    """Return whether two texts agree: the words exactly, fractions to about two digits."""
    if one == other:
        return True
    if ELSEWHERE in one and load()["versions"] != VERSIONS:
        return (
            one.split(ELSEWHERE)[0] == other.split(ELSEWHERE)[0] and ELSEWHERE in other
        )
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(x == y or _near_as_printed(x, y) for x, y in pairs)


def _near_as_printed(one, other):
    whole = one.lstrip("-").isdigit() and other.lstrip("-").isdigit()
    return not whole and np.isclose(
        float(one), float(other), rtol=PRINTED_TOLERANCE, atol=1e-14
    )


def same(stored, new, *, single=False, each=False, share=1.0):
    """Return whether a value is what is stored, within the tolerance of its precision.

    A text is equal, but for the last digits of numbers in it. The numbers of a digest
    may differ by a part of the largest one, as one of them may be near zero; with
    `each`, by one of their own. `share` is a part of the tolerance.
    """
    if type(stored) is not type(new):
        return False
    if isinstance(stored, str):
        return same_text(stored, new)
    if not isinstance(stored, list):
        return stored == new
    if len(stored) != len(new):
        return False
    if any(isinstance(value, str) for value in stored + new):
        return all(map(same, stored, new))
    before = np.array(stored, float)
    after = np.array(new, float)
    sizes = np.abs(before) if each else np.abs(before).max(initial=0)
    rtol = share * (SINGLE_TOLERANCE if single else TOLERANCE)
    with np.errstate(invalid="ignore"):  # two infinities
        near = np.abs(before - after) <= rtol * sizes
    return bool(np.all((before == after) | near))


def differences(stored, new, share=1.0):
    """Return a sentence for each field of a record that has changed.

    A record has sections, such as the kind of the data, and a section has fields.
    """
    sentences = []
    for section in [*stored, *(name for name in new if name not in stored)]:
        if section == "dask" and dask is None:
            continue
        before = stored.get(section, {})
        after = new.get(section, {})
        options = {"single": section == "float32", "share": share}
        for field in [*before, *(name for name in after if name not in before)]:
            own = options | {"each": field in ("history", "scores")}
            if (
                field in before
                and field in after
                and same(before[field], after[field], **own)
            ):
                continue
            was = before.get(field, "nothing")
            is_now = after.get(field, "nothing")
            sentences.append(
                f"{section}, {field}\n    stored: {was}\n    now:    {is_now}"
            )
    return sentences


# ------------------------------------------------------------------ the file


def exchanged(value, change):
    """Return nested lists and dictionaries in which each text is exchanged."""
    if isinstance(value, dict):
        return {key: exchanged(part, change) for key, part in value.items()}
    if isinstance(value, list):
        return [exchanged(part, change) for part in value]
    return change(value) if isinstance(value, str) else value


def packed(whole):
    """Return all records, with each text stored once, under a key that is made of the text.

    The texts leave out the name of the class, so that most classes share theirs.
    """
    texts = {}

    def key_of(text, name):
        text = re.sub(rf"\b{name}\b", "{class}", text)
        key = "#" + hashlib.sha256(text.encode()).hexdigest()[:6]
        texts[key] = text
        return key

    stored = {"versions": whole["versions"], "texts": texts}
    for group in GROUPS:
        stored[group] = {
            name: exchanged(record, partial(key_of, name=name.split("(")[0]))
            for name, record in whole[group].items()
        }
    return stored


def unpacked(stored):
    """Return the records that were packed."""

    def text_of(key, name):
        return stored["texts"][key].replace("{class}", name)

    whole = {"versions": stored["versions"]}
    for group in GROUPS:
        whole[group] = {
            name: exchanged(record, partial(text_of, name=name.split("(")[0]))
            for name, record in stored[group].items()
        }
    return whole


@cache
def load():
    """Return the stored records."""
    return unpacked(json.loads(STORED.read_text(encoding="utf-8")))


def save(whole):
    """Write the records, each section in a line of its own."""
    text = json.dumps(packed(whole), ensure_ascii=False, separators=(",", ":"))
    text = re.sub(r'(?<=[\]}])?,(?="[^"]*":\{)', ",\n", text)
    STORED.write_text(text + "\n", encoding="utf-8")


def stabilized(records):
    """Return the records of the models, with fewer sweeps where rounding decides the result."""
    for name, record in records.items():
        sweeps = {
            kind: fields["sweeps"]
            for kind, fields in record.items()
            if "sweeps" in fields
        }
        for kind, number in sweeps.items():
            stable = stable_sweeps(name, kind, number)
            if stable < number:
                record[kind] = fixed_sweeps(name, kind, stable)
                print(f"{name}: {kind}: {stable} sweeps")
    return records


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--update", action="store_true", help="store what is computed now"
    )
    options = parser.parse_args()
    before = load() if STORED.exists() else {group: {} for group in GROUPS}
    now = computed(before)
    if options.update:
        now["models"] = stabilized(now["models"])
    number = 0
    for group in GROUPS:
        for name in [
            *before[group],
            *(name for name in now[group] if name not in before[group]),
        ]:
            for sentence in differences(
                before[group].get(name, {}), now[group].get(name, {})
            ):
                print(f"{name}: {sentence}")
                number += 1
    print(f"{number} fields differ from the stored snapshot.")
    if options.update:
        save(now)


if __name__ == "__main__":
    main()
