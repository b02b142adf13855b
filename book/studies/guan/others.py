"""The mixture rule on faces that its numbers were not chosen on: UMIST and Yale, 32×32."""

from functools import partial

import numpy as np

from rnmf_tutorial.data import load_umist, load_yale
from rnmf_tutorial.measures import relative_error
from studies import grid
from studies.guan.competitors import RANK
from studies.guan.noise import corrupted
from studies.guan.rules import RULES

LOADERS = {"umist": load_umist, "yale32": partial(load_yale, 32)}
PASSES = 60


def others_cell(seed, data, noise, rule):
    """One run on other faces, in single precision, measured against the clean ones."""
    faces = LOADERS[data]()
    A = corrupted(faces.data, noise, seed).astype(np.float32)
    model = RULES[rule](RANK, max_iter=PASSES, tol=0, random_state=seed)
    F = model.fit_transform(A)
    return {
        "rre": relative_error(faces.data, model.inverse_transform(F)),
        "rejected": float(model.outliers_.mean()),
    }


OTHERS = grid(
    "guan-others",
    others_cell,
    {"noise": ["salt & pepper 60"], "rule": ["none", "mixture"]},
    seed=[1, 2, 3],
    data=["yale32", "umist"],
    noise=["salt & pepper 50", "salt & pepper 60"],
    rule=["none", "mixture"],
)
