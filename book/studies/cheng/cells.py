"""One run of each experiment on Cheng, Wang and Guan's models: the cells of `cheng`'s grids.

The paper takes UMIST at 40×40 pixels; it is to be had at 32×32, the size of the other
two sets.
"""

from functools import partial

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from rnmf_tutorial import CSNMF, MCCGR, SupervisedNMF
from rnmf_tutorial.data import (
    add_blocks,
    add_salt_and_pepper,
    load_orl,
    load_umist,
    load_yale,
)
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.models.graphs import LabelGraph
from rnmf_tutorial.published import cheng
from rnmf_tutorial.solvers import nnls
from studies.cheng.printed import printed_tables
from studies.machinery.protocols import training_splits

SWEEPS = 200  # the paper gives neither a number nor its tolerance
PAPER_LAM = 1e-5
# On c·X the factors grow by √c and a robust loss stays what it is, so λ on bytes is 255
# λ on pixels in [0, 1]: for CSNMF and MCCGR. CIMNMF has no λ; SNMF's loss grows by c²,
# so its λ would be λ/255, and at 10⁻⁵ already it is plain NMF.
BYTES_LAM = 255 * PAPER_LAM

#: Each needs a rank and takes the common parameters.
METHODS = {
    "NMF": cheng.NMF,
    "CIMNMF": cheng.CIMNMF,
    "MCCGR": partial(MCCGR, lam=1.0),  # (4)
    "SupervisedNMF": partial(SupervisedNMF, lam=PAPER_LAM),
    "CSNMF": partial(CSNMF, lam=PAPER_LAM),
    "CSNMF, bytes": partial(CSNMF, lam=BYTES_LAM),
    "MCCGR, bytes": partial(MCCGR, lam=255.0),
}
LABELED = ["SupervisedNMF", "CSNMF"]
N_TRAIN = {"yale": 5, "umist": 7, "orl": 5}  # the middle one of the paper's three


def load(data):
    """Return the faces at 32×32 pixels."""
    if data == "orl":
        return load_orl(32, aligned=True)
    return load_yale(32) if data == "yale" else load_umist()


def halves(data, n_train, seed):
    """Return training images and labels, then test images and labels."""
    faces = load(data)
    [(train, test)] = training_splits(
        faces.target, n_train=n_train, n_splits=1, random_state=seed
    )
    return faces.data[train], faces.target[train], faces.data[test], faces.target[test]


def fitted(method, A, y, r, seed, **options):
    """Fit with so many sweeps; return the model and the Hᵀ that the sweeps end with."""
    options = {"max_iter": SWEEPS, "tol": 0, "random_state": seed} | options
    model = METHODS[method](r, **options)
    return model, model.fit_transform(A, y)


def one_nn(F_train, y_train, F_test, y_test):
    """Return the share of the test samples whose nearest training sample has their label."""
    classifier = KNeighborsClassifier(n_neighbors=1).fit(F_train, y_train)
    return float(classifier.score(F_test, y_test))


def accuracies(basis, F, A_train, y_train, A_test, y_test):
    """Return the accuracy by each way to get coefficients, which the paper does not give.

    Test images are encoded by the pseudo-inverse of W (`pinv`) or by non-negative least
    squares (`nnls`). The training images have the coefficients of the fit (`fit_…`), or
    are encoded as the test images are (`both_…`). `span` takes the distances between
    the projections on the columns of W, which do not depend on the lengths of these
    columns.
    """
    gram, inverse = basis @ basis.T, np.linalg.pinv(basis)
    triangle = np.linalg.qr(basis.T)[1]
    P_train, P_test = A_train @ inverse, A_test @ inverse
    N_train, N_test = (nnls(gram, basis @ A.T).T for A in (A_train, A_test))
    known = y_train, y_test
    pairs = {
        "fit_pinv": (F, P_test),
        "fit_nnls": (F, N_test),
        "both_pinv": (P_train, P_test),
        "both_nnls": (N_train, N_test),
        "span": (P_train @ triangle.T, P_test @ triangle.T),
    }
    return {name: one_nn(a, known[0], b, known[1]) for name, (a, b) in pairs.items()}


def faces_cell(data, n_train, r, seed, method):
    """One run of Tables 1 to 3: one split, one rank."""
    A_train, y_train, A_test, y_test = halves(data, n_train, seed)
    model, F = fitted(method, A_train, y_train, r, seed)
    W = model.components_
    return {
        **accuracies(W, F, A_train, y_train, A_test, y_test),
        "rre": relative_error(A_train, F @ W),
        "size": float(np.linalg.norm(F) / np.linalg.norm(W)),
        "objective": model.objective_history_[-1],
    }


def printed_rank_cell(data, n_train, seed, method):
    """One run of Tables 1 to 3 at the rank that the table prints for this method."""
    best = printed_tables().set_index(["data", "n_train", "method"]).r
    r = int(best[data, n_train, method.removesuffix(", bytes")])
    return {"r": r} | faces_cell(data, n_train, r, seed, method)


def raw_cell(data, n_train, seed):
    """Nearest neighbor on the pixels themselves."""
    return {"raw": one_nn(*halves(data, n_train, seed))}


def lam_cell(data, lam, seed, method):
    """Fit with another weight of the graph; r = 60."""
    A_train, y_train, *_ = faces = halves(data, N_TRAIN[data], seed)
    model, F = fitted(method, A_train, y_train, 60, seed, lam=lam)
    W = model.components_
    return accuracies(W, F, *faces) | {"rre": relative_error(A_train, F @ W)}


#: The λ with the best mean accuracy in the grid above, whose splits no other grid uses.
BEST_LAM = {"SupervisedNMF": 10.0, "CSNMF": 1e-3}
PARTS = ["NMF", "CIMNMF", *LABELED]


def best_fitted(method, A, y, seed):
    """Fit a model at its λ of `BEST_LAM`, if it has one; r = 60."""
    options = {"lam": BEST_LAM[method]} if method in BEST_LAM else {}
    return fitted(method, A, y, 60, seed, **options)


def parts_cell(data, seed, method):
    """With and without labels, with and without a robust loss."""
    A_train, y_train, *_ = faces = halves(data, N_TRAIN[data], seed)
    model, F = best_fitted(method, A_train, y_train, seed)
    return accuracies(model.components_, F, *faces)


def wrong_labels(y, fraction, seed):
    """Give a share of the samples the label of someone else."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(y), round(fraction * len(y)), replace=False)
    classes = np.unique(y)
    shift = rng.integers(1, len(classes), len(chosen))
    noisy = y.copy()
    noisy[chosen] = classes[
        (np.searchsorted(classes, y[chosen]) + shift) % len(classes)
    ]
    return noisy


def labels_cell(data, fraction, seed, method):
    """Give the graph wrong labels; the classifier has the right ones, or the same wrong ones."""
    A_train, y_train, A_test, y_test = halves(data, N_TRAIN[data], seed)
    noisy = wrong_labels(y_train, fraction, seed)
    model, F = best_fitted(method, A_train, noisy, seed)
    codes = A_test @ np.linalg.pinv(model.components_)
    return {
        "right": one_nn(F, y_train, codes, y_test),
        "same": one_nn(F, noisy, codes, y_test),
    }


def corruption_cell(data, kind, level, seed, method):
    """Spoil the training images, not the test images."""
    A_train, y_train, A_test, y_test = halves(data, N_TRAIN[data], seed)
    if kind == "salt & pepper":
        spoiled, _ = add_salt_and_pepper(A_train, level / 100, random_state=seed)
    else:
        spoiled, _ = add_blocks(A_train, (32, 32), level, random_state=seed)
    if method == "raw pixels":
        value = one_nn(spoiled, y_train, A_test, y_test)
        return dict.fromkeys(
            ["fit_pinv", "fit_nnls", "both_pinv", "both_nnls", "span"], value
        )
    model, F = best_fitted(method, spoiled, y_train, seed)
    return accuracies(model.components_, F, spoiled, y_train, A_test, y_test)


RECORDED = [0, 1, 3, 10, 30, 100, 300, 1000]


def sweeps_cell(data, lam, seed):
    """Watch the graph term of CSNMF over the sweeps; r = 40."""
    faces = halves(data, N_TRAIN[data], seed)
    A_train, y_train, _, _ = faces
    graph = LabelGraph(y_train)
    model = CSNMF(40, lam=lam, max_iter=RECORDED[-1], tol=0, random_state=seed)
    rows = []
    for sweep in model.sweeps(A_train, y_train):
        if sweep.number not in RECORDED:
            continue
        W, H = sweep.W, sweep.H
        row = {
            "sweep": sweep.number,
            "size": float(np.linalg.norm(H) / np.linalg.norm(W)),
            "objective": sweep.objective,
            "graph": lam / 2 * graph.energy(H),
            "mse": float(((A_train.T - W @ H) ** 2).mean()),
        }
        scores = accuracies(W.T, H.T, *faces)
        rows.append(row | {name: scores[name] for name in ("fit_pinv", "both_pinv")})
    return rows
