"""Experiments of Díaz, Steele and Nguyen: Figs. 3, 9, 13, Table 2, and some of our own.

The paper divides the side of each image by 3: ORL to 37×30, Extended Yale B to 64×56.
It does not say how; Pillow's ``resize``, which took the nearest pixel before version 7
and is bicubic since, is tried both ways on Extended Yale B.
"""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from rnmf_tutorial.data import add_gaussian, add_salt_and_pepper, load_orl, load_yaleb
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.published import diaz, guan
from studies import grid
from studies.diaz.noise import NOISES, REREAD
from studies.faces import strangers
from studies.machinery.measures import agreement, clusters

#: The paper's L2 starts from NNDSVD, its other two methods from random numbers.
METHODS = {
    "NMF from NNDSVD": partial(diaz.NMF, init="nndsvd"),
    "NMF": diaz.NMF,
    "L21NMF": diaz.L21NMF,
    "L1RobustNMF": diaz.L1RobustNMF,  # lam=0.04 by default, as in the paper
    "RobustNMF": partial(diaz.RobustNMF, lam=0.1),
    "CauchyNMF": guan.CauchyNMF,
    "CappedNMF": guan.CappedNMF,
}
SIZE = (37, 30)  # of ORL, a third of 112×92
SWEEPS = {"orl": 300, "yaleb": 100}  # Table 1


def majority_vote(target, found):
    """Give every cluster the class that most of its samples have; return the classes."""
    counts = pd.crosstab(found, target)
    return counts.idxmax(axis=1).loc[found].to_numpy()


def clustering_scores(F, target, suffix=""):
    """Return (29) and (30) of k-means on the rows of F, by two ways to match the clusters.

    `ac` matches one to one (Hungarian method) and `nmi` needs no matching; `ac_vote`
    and `nmi_vote` are the accuracy and the information after a majority vote.
    """
    found = clusters(F, target)
    voted = majority_vote(target, found)
    scores = {
        **agreement(target, found, nmi="mean"),
        "ac_vote": float(np.mean(voted == target)),
        "nmi_vote": agreement(target, voted, nmi="mean")["nmi"],
    }
    return {name + suffix: value for name, value in scores.items()}


def fitted(method, A, r, sweeps, seed, **options):
    """Fit with exactly so many sweeps; return the model and Hᵀ."""
    model = METHODS[method](r, max_iter=sweeps, tol=0, random_state=seed, **options)
    return model, model.fit_transform(A)


def scores(faces, model, F):
    """Return RRE (28) and the clustering scores, on H and on the reconstruction WH."""
    # WH and RH, with W = QR, have the same distances between columns: r numbers instead
    # of m.
    triangle = np.linalg.qr(model.components_.T)[1]
    return {
        "rre": relative_error(faces.data, model.inverse_transform(F)),
        **clustering_scores(F, faces.target),
        **clustering_scores(F @ triangle.T, faces.target, "_wh"),
        "objective": model.objective_history_[-1],
    }


def spoiled(faces, noise, seed):
    """Return the faces with one of the noises of Table 2."""
    add, options = (NOISES | REREAD)[noise]
    return add(faces.data, **options, random_state=seed)[0]


def on_orl(seed, method, add, *amount, r=60, **options):
    """Fit once to ORL that `add` has spoiled, and score."""
    faces = load_orl(SIZE)
    A, _ = add(faces.data, *amount, **options, random_state=seed)
    return scores(faces, *fitted(method, A, r, SWEEPS["orl"], seed))


def table_cell(data, noise, seed, method):
    """One run of Table 2: r = 60."""
    add, options = (NOISES | REREAD)[noise]
    return on_orl(seed, method, add, **options)


def yaleb_cell(seed, resample, noise, method):
    """One run of Table 2 on Extended Yale B at 64×56, in single precision at half the time."""
    faces = load_yaleb((64, 56), resample=resample)
    A = spoiled(faces, noise, seed).astype(np.float32)
    return scores(faces, *fitted(method, A, 60, SWEEPS["yaleb"], seed))


def stopped_cell(seed, noise, method):
    """One run of `yaleb_cell` that stops after 75 sweeps, where L2,1's error is as printed.

    The number was chosen by `stopping_cell`: one method, one measure, one noise.
    """
    faces = load_yaleb((64, 56))
    A = spoiled(faces, noise, seed).astype(np.float32)
    model, F = fitted(method, A, 60, STOPPED, seed)
    error = relative_error(faces.data, model.inverse_transform(F))
    return {"rre": error, **clustering_scores(F, faces.target)}


STOPPED = 75
YALEB_RECORDED = [5, 10, 20, 30, 50, 75, 100]


def stopping_cell(seed, method):
    """One run of `yaleb_cell`, Gaussian noise with σ = 0.1, measured on the way."""
    faces = load_yaleb((64, 56))
    A, _ = add_gaussian(faces.data, 0.1, random_state=seed)
    model = METHODS[method](60, max_iter=SWEEPS["yaleb"], tol=0, random_state=seed)
    return [
        {
            "sweep": sweep.number,
            "rre": relative_error(faces.data.T, sweep.W @ sweep.H),
            **clustering_scores(sweep.H.T, faces.target),
        }
        for sweep in model.sweeps(A.astype(np.float32))
        if sweep.number in YALEB_RECORDED
    ]


def rank_cell(rank, seed, method):
    """One run of Fig. 9: ORL with Gaussian noise, σ = 0.05."""
    return on_orl(seed, method, add_gaussian, 0.05, r=rank)


RECORDED = [0, 1, 2, 5, 10, 20, 50, 100, 200, 300]


def start_cell(seed, method, init):
    """One run of Fig. 3, measured at some sweeps: ORL, Gaussian noise, r = 30.

    The paper stops after 100 sweeps and does not give its σ; we take the 0.05 of Fig.
    9.
    """
    faces = load_orl(SIZE)
    A, _ = add_gaussian(faces.data, 0.05, random_state=seed)
    kind = {"NMF": diaz.NMF, "L21NMF": diaz.L21NMF}[method]
    model = kind(30, init=init, max_iter=RECORDED[-1], tol=0, random_state=seed)
    return [
        {
            "sweep": sweep.number,
            "objective": sweep.objective,
            "rre": relative_error(faces.data.T, sweep.W @ sweep.H),
            "zeros": float(np.mean(sweep.W == 0)),
            **clustering_scores(sweep.H.T, faces.target),
        }
        for sweep in model.sweeps(A)
        if sweep.number in RECORDED
    ]


def breakdown_cell(p, seed, method):
    """Replace a share p of all pixels of ORL by salt or pepper, as much of each; r = 60."""
    return on_orl(seed, method, add_salt_and_pepper, p)


def salted_cell(p, seed, method):
    """Replace a share p as Table 2 does, whose share of salt is 4p/3 of that, and at most all."""
    return on_orl(seed, method, add_salt_and_pepper, p, s_vs_p=min(4 * p / 3, 1))


def surface_cell(p, s_vs_p, seed, method):
    """One point of Fig. 13: a share p of the pixels is replaced, s_vs_p of it by salt."""
    return on_orl(seed, method, add_salt_and_pepper, p, s_vs_p=s_vs_p)


def stretched(faces):
    """Return the faces with every image stretched to the whole range from 0 to 1."""
    low = faces.data.min(axis=1, keepdims=True)
    high = faces.data.max(axis=1, keepdims=True)
    return Bunch(data=(faces.data - low) / (high - low), target=faces.target)


def stretched_cell(noise, seed, method):
    """One run of Table 2 on ORL, another reading of "image normalization" in section 3.1."""
    faces = stretched(load_orl(SIZE))
    A = spoiled(faces, noise, seed)
    return scores(faces, *fitted(method, A, 60, SWEEPS["orl"], seed))


def normal_start_cell(seed, init):
    """Fit L1RobustNMF from the start of section 3.2.2, |N(0, 1)|, or the package's; one of Table 2.

    ORL with Gaussian noise, σ = 0.1; r = 60.
    """
    faces = load_orl(SIZE)
    A, _ = add_gaussian(faces.data, 0.1, random_state=seed)
    if init == "normal":
        rng = np.random.default_rng(seed)
        init = tuple(
            np.abs(rng.normal(size=s)) for s in ((A.shape[1], 60), (60, len(A)))
        )
    return scores(faces, *fitted("L1RobustNMF", A, 60, SWEEPS["orl"], seed, init=init))


def lam_cell(noise, lam, seed):
    """Fit L1RobustNMF with another λ, which the paper leaves at 0.04; ORL, r = 60."""
    faces = load_orl(SIZE)
    A = spoiled(faces, noise, seed)
    model, F = fitted("L1RobustNMF", A, 60, SWEEPS["orl"], seed, lam=lam)
    return {
        "rre": relative_error(faces.data, model.inverse_transform(F)),
        "taken": float(np.abs(model.error_).sum() / np.abs(A - faces.data).sum()),
        **clustering_scores(F, faces.target),
    }


def strangers_cell(fraction, seed, method):
    """Measure the error on the faces that are left when some images are no faces at all."""
    faces = load_orl(SIZE)
    A, replaced = strangers(faces.data, fraction, seed)
    model, F = fitted(method, A, 60, SWEEPS["orl"], seed)
    rebuilt = model.inverse_transform(F)
    return {"rre": relative_error(faces.data[~replaced], rebuilt[~replaced])}


PAPERS = ["NMF from NNDSVD", "NMF", "L21NMF", "L1RobustNMF"]
PRINTED, L2_AND_L21, L21 = [PAPERS[0], *PAPERS[2:]], PAPERS[1:3], {"method": ["L21NMF"]}
SALT, FAINT = "salt & pepper p=0.25", "Gaussian 0.01"
DRAWS = range(3)  # of Extended Yale B the paper has two

TABLE_ORL = grid(
    "diaz-table-orl",
    table_cell,
    {"noise": [SALT, FAINT], "method": PAPERS},
    data=["orl"],
    noise=list(NOISES | REREAD),
    seed=range(5),
    method=PAPERS,
)
OF_YALEB = {"seed": DRAWS, "resample": ["bicubic", "nearest"], "noise": list(NOISES)}
TABLE_YALEB, YALEB_MORE = (
    grid(
        name, yaleb_cell, {"noise": [FAINT], "method": live}, **OF_YALEB, method=methods
    )
    for name, live, methods in (
        ("diaz-table-yaleb64", ["L21NMF"], ["NMF from NNDSVD", "L21NMF"]),
        ("diaz-table-yaleb64-more", ["NMF"], ["NMF", "L1RobustNMF"]),
    )
)
STOPPING = grid("diaz-stopping", stopping_cell, L21, seed=DRAWS, method=PRINTED)
STOPPED_EARLY = grid(
    "diaz-stopped",
    stopped_cell,
    {"noise": ["Gaussian 0.1"]},
    method=["L21NMF"],
    noise=["salt & pepper p=0.125", "salt & pepper p=0.188", "Laplace 0.09", FAINT],
    seed=DRAWS,
)
RANK = grid(
    "diaz-rank",
    rank_cell,
    {"method": PAPERS},
    rank=range(10, 141, 10),
    seed=DRAWS,
    method=PAPERS,
)
START = grid(
    "diaz-start",
    start_cell,
    {"init": ["random", "nndsvd"]},
    seed=range(10),
    method=L2_AND_L21,
    init=["random", "nndsvd", "nndsvda"],
)
BREAKDOWN = grid(
    "diaz-breakdown",
    breakdown_cell,
    {"p": [0.4], "method": L2_AND_L21},
    p=[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
    seed=DRAWS,
    method=[*PAPERS, "RobustNMF", "CauchyNMF"],
)
SALTED = grid("diaz-salted", salted_cell, L21, p=[0.4, 0.8], seed=DRAWS, method=PRINTED)
# Fig. 13. The column with half salt, and the row without noise, are those of
# `BREAKDOWN`. A fit of L1, which stays near L2 there, costs four of the others.
SURFACE = grid(
    "diaz-surface",
    surface_cell,
    {"p": [0.4], "s_vs_p": [1.0]},
    p=[0.2, 0.4, 0.8],
    s_vs_p=[0.0, 0.25, 0.75, 1.0],
    seed=DRAWS,
    method=["NMF from NNDSVD", "L21NMF"],
)
STRETCHED = grid(
    "diaz-stretched",
    stretched_cell,
    {"noise": [FAINT]},
    noise=list(NOISES),
    seed=DRAWS,
    method=["L21NMF", "NMF from NNDSVD"],
)
STARTS = {"seed": DRAWS, "init": ["random", "normal"]}
NORMAL_START = grid(
    "diaz-normal-start", normal_start_cell, {"init": ["normal"]}, **STARTS
)
STRANGERS = grid(
    "diaz-strangers",
    strangers_cell,
    {"fraction": [0.2], "method": L2_AND_L21},
    fraction=[0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5],
    seed=DRAWS,
    method=[*L2_AND_L21, "L1RobustNMF", "CappedNMF"],
)
LAMBDAS = [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.04, 0.2, 1.0]
LAM = grid(
    "diaz-lam",
    lam_cell,
    {"lam": [1e-3]},
    noise=[SALT, "Gaussian 0.1"],
    lam=LAMBDAS,
    seed=DRAWS,
)

#: Each grid with the data sets it needs.
GRIDS = [
    *((one, []) for one in (START, TABLE_ORL, LAM, BREAKDOWN, SALTED)),
    *((one, []) for one in (NORMAL_START, RANK, STRANGERS)),
    *((one, []) for one in (SURFACE, STRETCHED)),
    *(
        (one, ["yaleb_full"])
        for one in (TABLE_YALEB, YALEB_MORE, STOPPING, STOPPED_EARLY)
    ),
]
