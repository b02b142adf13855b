"""Time one sweep of each model on ORL 32×32, in one process on one thread: `make bench`."""

import statistics
import time

import numpy as np
import pandas as pd
from sklearn.decomposition import NMF as ScikitNMF

from rnmf_tutorial import (
    CIMNMF,
    CSNMF,
    L21NMF,
    MCCGR,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    LocalNMF,
    ManifoldDiscriminativeNMF,
    RegularizedNMF,
    RobustManifoldNMF,
    RobustNMF,
    SupervisedNMF,
    TruncatedCauchyNMF,
)
from rnmf_tutorial.data import load_orl

RANK = 40
SWEEPS = 40
REPEATS = 5


def seconds_per_sweep(run):
    """What SWEEPS sweeps take beyond what one sweep takes, per sweep."""
    begin = time.perf_counter()
    run(1)
    middle = time.perf_counter()
    run(SWEEPS + 1)
    end = time.perf_counter()
    return (end - middle - (middle - begin)) / SWEEPS


def scikit(A, sweeps, **options):
    W, H = np.random.default_rng(0).random((2, RANK, max(A.shape)))
    model = ScikitNMF(RANK, init="custom", solver="mu", max_iter=sweeps, tol=0, **options)
    model.fit_transform(A, W=W[:, : len(A)].T.copy(), H=H[:, : A.shape[1]].copy())


def products(X, sweeps):
    """The products of one Euclidean sweep, with nothing around them."""
    W = np.ones((X.shape[0], RANK))
    H = np.ones((RANK, X.shape[1]))
    for _ in range(sweeps):
        W.T @ X, (W.T @ W) @ H, X @ H.T, W @ (H @ H.T)


def main():
    orl = load_orl(size=32)
    A = orl.data + 1e-3  # the divergence of scikit-learn wants positive data
    X = A.T  # in the memory order that the models use

    def ours(model, **options):
        def run(sweeps):
            model(RANK, max_iter=sweeps, tol=0, random_state=0, **options).fit(A, orl.target)

        return run

    runs = {
        "matrix products alone": lambda sweeps: products(X, sweeps),
        "scikit-learn mu, Euclid": lambda sweeps: scikit(A, sweeps),
        "scikit-learn mu, divergence": lambda sweeps: scikit(
            A, sweeps, beta_loss="kullback-leibler"
        ),
        "NMF, Euclid": ours(NMF),
        "NMF, divergence": ours(NMF, loss="kullback-leibler"),
        "RobustNMF": ours(RobustNMF),
        "L21NMF": ours(L21NMF),
        "CappedNMF": ours(CappedNMF),
        "RegularizedNMF": ours(RegularizedNMF, lam=1.0),
        "LocalNMF": ours(LocalNMF),
    }
    for model in (HuberNMF, CIMNMF, CauchyNMF, HypersurfaceNMF):
        runs[f"{model.__name__}, fixed scale"] = ours(model, scale=0.1)
        runs[f"{model.__name__}, estimated scale"] = ours(model)
    for rule in (None, "three-sigma", "mixture"):
        runs[f"TruncatedCauchyNMF, {rule}"] = ours(TruncatedCauchyNMF, outliers=rule)
    for model in (
        SupervisedNMF,
        CSNMF,
        MCCGR,
        ManifoldDiscriminativeNMF,
        RobustManifoldNMF,
    ):
        runs[model.__name__] = ours(model)
    # One round after the other, so that a slow moment of the machine hits all alike.
    rounds = [{name: seconds_per_sweep(f) for name, f in runs.items()} for _ in range(REPEATS)]
    median = {name: 1e3 * statistics.median(times[name] for times in rounds) for name in runs}
    table = pd.DataFrame({"ms per sweep": median})
    table["× matrix products"] = table["ms per sweep"] / table.loc["matrix products alone"].item()
    table["× NMF, Euclid"] = table["ms per sweep"] / table.loc["NMF, Euclid", "ms per sweep"]
    print(table.round(2).to_string())


if __name__ == "__main__":
    main()
