"""Large data, each fit in a process of its own: time, memory and what was found: bench-large.

Two problems. "errors" are 20,000 samples of 2,000 features in single precision, of rank
20, with noise and 5% of gross errors; what counts is how far the product is from the
data without both. "text" are counts of 8,000 words in 10,000 documents of 20 topics,
0.6% of them positive; what counts is the objective.
"""

import json
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import NMF as ScikitNMF
from sklearn.decomposition import MiniBatchNMF

from rnmf_tutorial import L21NMF, NMF, HuberNMF, MaskedSearchCV, RobustNMF
from studies import grid

ROOT = Path(__file__).resolve().parent.parent
RANK = 20
SIZES = {"errors": (20_000, 2_000), "text": (10_000, 8_000)}

_CD = {"solver": "cd"}
_KL = {"loss": "kullback-leibler"}
_THEIRS = {"solver": "mu", "beta_loss": "kullback-leibler"}
#: Name -> a fit of the first problem, as a user would call it.
OF_ERRORS = {
    "scikit-learn NMF": ScikitNMF,
    "scikit-learn MiniBatchNMF": MiniBatchNMF,
    "NMF": partial(NMF, **_CD),
    "HuberNMF, scale=0.5": partial(HuberNMF, scale=0.5, **_CD),
    "RobustNMF, lam=1": partial(RobustNMF, lam=1.0, **_CD),
    "RobustNMF": partial(RobustNMF, **_CD),
    "search on 1,000 samples": partial(MaskedSearchCV, max_samples=1000),
}
#: Name -> a fit of the second for so many sweeps, all from one start; whether the data
#: are sparse.
OF_TEXT = {
    "squares: scikit-learn cd": (partial(ScikitNMF, max_iter=40), True),
    "squares: NMF cd": (partial(NMF, max_iter=40, **_CD), True),
    "squares: NMF cd, dense": (partial(NMF, max_iter=40, **_CD), False),
    "divergence: scikit-learn mu": (partial(ScikitNMF, max_iter=40, **_THEIRS), True),
    "divergence: NMF mu": (partial(NMF, max_iter=40, solver="mu", **_KL), True),
    "divergence: NMF mu, dense": (partial(NMF, max_iter=40, solver="mu", **_KL), False),
    "divergence: NMF cd": (partial(NMF, max_iter=10, **_CD, **_KL), True),
    "divergence: HuberNMF cd": (
        partial(HuberNMF, max_iter=10, scale=3.0, divergence="kullback-leibler", **_CD),
        True,
    ),
    "samples: L21NMF cd": (partial(L21NMF, max_iter=40, **_CD), True),
    "samples: L21NMF cd, dense": (partial(L21NMF, max_iter=40, **_CD), False),
}


def with_errors(n_samples, n_features, seed):
    """Return data, and the two factors of what they would be without noise and errors."""
    rng = np.random.default_rng(seed)
    Ht, Wt = (
        rng.gamma(0.5, size=shape).astype("f4")
        for shape in ((n_samples, RANK), (RANK, n_features))
    )
    A = np.empty((n_samples, n_features), "f4")
    for block, h in zip(np.array_split(A, 20), np.array_split(Ht, 20), strict=True):
        np.matmul(h, Wt, out=block)
        block += 0.1 * rng.standard_normal(block.shape, "f4")
        wrong = rng.random(block.shape, "f4") < 0.05
        block[wrong] = rng.uniform(0, 60, np.count_nonzero(wrong))
        np.maximum(block, 0, out=block)
    return A, Ht, Wt


def text(n_samples, n_features, seed):
    """Return counts: a word of rank k in the language has a frequency of 1/k, times its topics'."""
    rng = np.random.default_rng(seed)
    words = rng.gamma(0.1, size=(RANK, n_features)) / (10 + np.arange(n_features))
    upper = np.cumsum(words / words.sum(axis=1, keepdims=True), axis=1)
    topics = rng.dirichlet(np.full(RANK, 0.1), n_samples)
    lengths = rng.poisson(n_features * 0.008 * rng.gamma(4, 0.25, n_samples))
    document = np.repeat(np.arange(n_samples), lengths)
    topic = (topics.cumsum(axis=1)[document] < rng.random((len(document), 1))).sum(
        axis=1
    )
    topic = np.minimum(topic, RANK - 1)
    word = np.empty(len(document), int)
    for k in range(RANK):
        here = topic == k
        word[here] = np.searchsorted(upper[k], rng.random(np.count_nonzero(here)))
    word = np.minimum(word, n_features - 1)
    return csr_array(
        (np.ones(len(word)), (document, word)), shape=(n_samples, n_features)
    )


def memory(field):
    """Return what Linux says of this process's memory: in use ("VmRSS"), or the most ("VmHWM")."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    return 1024 * int(status.read_text().split(f"{field}:")[1].split()[0])


def fitted(name, seed, part):
    """Make the data and fit; return seconds, gigabytes besides the data, and how good it is."""
    data = "errors" if name in OF_ERRORS else "text"
    shape = [int(part * side) for side in SIZES[data]]
    if data == "errors":
        A, H, W = with_errors(*shape, seed)
        start = {}
        model = OF_ERRORS[name](n_components=RANK, random_state=seed)
    else:
        counts = text(*shape, seed)
        make, sparse = OF_TEXT[name]
        A = counts if sparse else counts.toarray()
        rng = np.random.default_rng(seed)
        level = np.sqrt(4 * counts.mean() / RANK)
        H, W = (
            level * rng.random(size) for size in ((shape[0], RANK), (RANK, shape[1]))
        )
        theirs = make.func is ScikitNMF
        model = make(RANK, tol=0, init="custom" if theirs else (W.T, H.T))
        start = {"W": H, "H": W} if theirs else {}
    if (peak := Path("/proc/self/clear_refs")).exists():
        peak.write_text("5")  # "VmHWM" begins anew, without what making the data took
    before = memory("VmRSS")
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codes = model.fit_transform(A, **start)
    took = time.process_time() - begin
    beyond = memory("VmHWM") - before
    model = getattr(model, "best_estimator_", model)  # of a search
    row = {"data": data, "took": took, "gigabytes": beyond / 1e9}
    if data == "errors":
        error = sum(
            float(((h @ W - code @ model.components_) ** 2).sum(dtype=float))
            for h, code in zip(
                np.array_split(H, 20), np.array_split(codes, 20), strict=True
            )
        )
        norm2 = np.vdot((H.T @ H).astype(float), (W @ W.T).astype(float))
        return row | {
            "value": float(np.sqrt(error / norm2)),
            "found": type(model).__name__,
        }
    kind = L21NMF if name.startswith("samples") else NMF
    loss = {"loss": "kullback-leibler"} if name.startswith("divergence") else {}
    value = kind(**loss).objective(counts.T, model.components_.T, codes.T)
    return row | {"value": value, "found": type(model).__name__}


def large_cell(name, seed, part):
    """Fit in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.large", name, str(seed), str(part)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


NAMES = [*OF_ERRORS, *OF_TEXT]
LIVE = {"name": [NAMES[0], NAMES[-1]], "part": [0.02]}
LARGE = grid("bench-large", large_cell, LIVE, name=NAMES, seed=[0, 1], part=[1])


if __name__ == "__main__":
    name, seed, part = sys.argv[1:]
    print(json.dumps(fitted(name, int(seed), float(part))))
