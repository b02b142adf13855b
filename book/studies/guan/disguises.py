"""Clustering and recognition of Guan et al.: disguised faces (Fig. 9, Table V), objects (Fig. 11).

The AR faces may not be passed on. A reader's own copy, in the folder or file that the
environment variable RNMF_TUTORIAL_AR names, is used with ``data="ar"``; simulated
disguises on the aligned ORL faces stand in for it.
"""

import os
from functools import partial

import numpy as np

from rnmf_tutorial.data import load_msrc, load_orl
from studies import grid
from studies.faces import disguised, load_ar
from studies.guan import twelve_steps
from studies.guan.competitors import METHODS, clustering_scores
from studies.guan.error_correction import sec_predict
from studies.guan.sparse_representation import src_predict

KINDS = ["plain", "sunglasses", "scarf"]

#: The competitors as in the tables, and Truncated Cauchy NMF with its rules.
CONTENDERS = METHODS | {
    rule: partial(
        twelve_steps.TruncatedCauchyNMF,
        outliers=None if rule == "none" else rule,
        max_iter=100,
    )
    for rule in ("none", "three-sigma", "mad", "mixture")
}


def disguised_faces(data, seed):
    """Return images, people, what each image wears (0, 1, 2: `KINDS`) and its session (0, 1).

    As among the AR faces, 6 in 26 images wear sunglasses and as many a scarf. ORL has
    no sessions: five images of each person, drawn by the seed, are the first.
    """
    if data == "ar":
        faces = load_ar(os.environ["RNMF_TUTORIAL_AR"], size=(55, 40))
        number = (faces.image_number - 1) % 13 + 1
        wears = np.select([number >= 11, number >= 8], [2, 1], 0)
        return (
            faces.data,
            faces.target,
            wears,
            (faces.image_number > 13).astype(int),
            (55, 40),
        )
    faces = load_orl(32, aligned=True)
    A, wears = disguised(faces.data, (32, 32), 6 / 26, seed)
    rng = np.random.default_rng(seed)
    session = np.concatenate([rng.permutation(10) >= 5 for _ in range(40)]).astype(int)
    return A, faces.target, wears, session, (32, 32)


def fitted(method, A, r, seed):
    """Return the coefficients of a method, or the data themselves for "pixels"."""
    if method == "pixels":
        return A
    model = CONTENDERS[method](r, random_state=seed)
    return model.set_params(tol=0).fit_transform(A)


def faces_cell(data, trial, people, method):
    """One trial of Fig. 9: cluster all images of a few people, with as many components."""
    A, target, *_ = disguised_faces(data, trial)
    rng = np.random.default_rng(trial)
    chosen = np.isin(target, rng.choice(target.max() + 1, people, replace=False))
    return clustering_scores(fitted(method, A[chosen], people, trial), target[chosen])


def objects_cell(trial, classes, method):
    """One trial of Fig. 11, on the GIST features of MSRC-v1 in place of a network's."""
    objects = load_msrc()
    rng = np.random.default_rng(trial)
    chosen = np.isin(objects.target, rng.choice(7, classes, replace=False))
    F = fitted(method, objects.data.gist[chosen], classes, trial)
    return clustering_scores(F, objects.target[chosen])


def recognition_cell(data, seed, method):
    """One run of Table V: learn from both sessions, recognize the second; one row per kind.

    The rank is two per person, as the paper's 200 for 100 people. SEC works on the
    pixels.
    """
    A, target, wears, session, shape = disguised_faces(data, seed)
    train, test = session == 0, session == 1
    if method == "SEC":
        found = sec_predict(A[train], target[train], A[test], shape)
    else:
        F = fitted(method, A, 2 * (target.max() + 1), seed)
        found = src_predict(F[train], target[train], F[test])
    right = found == target[test]
    by_kind = {kind: right[wears[test] == k] for k, kind in enumerate(KINDS)}
    return [
        {"kind": k, "ac": float(v.mean())}
        for k, v in ({"all": right} | by_kind).items()
    ]


LIVE, EVERY = ["NeNMF", "none"], ["pixels", *CONTENDERS]
FACES = grid(
    "guan-faces",
    faces_cell,
    {"people": [4], "method": LIVE},
    data=["orl32"],
    trial=range(10),
    people=[2, 4, 6, 8, 10],
    method=EVERY,
)
OBJECTS = grid(
    "guan-objects",
    objects_cell,
    {"classes": [3], "method": LIVE},
    trial=range(5),
    classes=range(2, 8),
    method=EVERY,
)
RECOGNITION = grid(
    "guan-recognition",
    recognition_cell,
    {"method": ["NeNMF"]},
    data=["orl32"],
    seed=[0, 1, 2],
    method=["SEC", *EVERY],
)
