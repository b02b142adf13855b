"""Grids on Cheng, Wang and Guan: Tables 1 to 3, Figs. 1 to 3, and five experiments of our own."""

from studies import Grid
from studies.cheng.cells import (
    BYTES_LAM,
    LABELED,
    PARTS,
    corruption_cell,
    faces_cell,
    labels_cell,
    lam_cell,
    parts_cell,
    printed_rank_cell,
    raw_cell,
    sweeps_cell,
)

COMPARED = ["CIMNMF", "MCCGR", "SupervisedNMF", "CSNMF, bytes"]


def _faces(data, n_train, ranks, methods):
    return Grid(
        f"cheng-{data}",
        faces_cell,
        quick={
            "data": [data],
            "n_train": n_train[:1],
            "r": [10],
            "seed": [0],
            "method": ["SupervisedNMF", "CSNMF, bytes"],
        },
        paper={
            "data": [data],
            "n_train": n_train,
            "r": ranks,
            "seed": list(range(10)),
            "method": methods,
        },
    )


# r ≤ n, and Yale has 60 training images in its smallest setting. Both ranges of the pixels that the
# paper may have had are run for MCCGR where the images are of the paper's size. In `LAM` pixels in
# [0, 1] leave CSNMF what it is without labels: once, on Yale, is enough to show it.
BYTES = [*COMPARED, "MCCGR, bytes"]
YALE = _faces("yale", [4, 5, 6], [10, 20, 30, 40, 50, 60], [*BYTES, "CSNMF"])
UMIST = _faces("umist", [6, 7, 9], [10, 30, 60, 120], COMPARED)
ORL = _faces("orl", [4, 5, 6], [10, 30, 60, 120], BYTES)

# The four ranks miss all twelve optima of Table 3. So each method also runs at its own.
ORL_PRINTED = Grid(
    "cheng-orl-printed",
    printed_rank_cell,
    quick={"data": ["orl"], "n_train": [4], "seed": [0], "method": ["SupervisedNMF"]},
    paper={
        "data": ["orl"],
        "n_train": ORL.paper["n_train"],
        "seed": ORL.paper["seed"],
        "method": BYTES,
    },
)

RAW = {
    data: Grid(
        f"cheng-raw-{data}",
        raw_cell,
        quick={"data": [data], "n_train": grid.paper["n_train"][:1], "seed": [0]},
        paper={"data": [data], "n_train": grid.paper["n_train"], "seed": list(range(10))},
    )
    for data, grid in {"yale": YALE, "umist": UMIST, "orl": ORL}.items()
}

ALL = ["yale", "umist", "orl"]
LAM = Grid(
    "cheng-lam",
    lam_cell,
    quick={"data": ["orl"], "lam": [0.001], "seed": [100], "method": LABELED},
    paper={
        "data": ALL,
        "lam": [0.0, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0],
        "seed": list(range(100, 103)),
        "method": LABELED,
    },
)
PARTS_GRID = Grid(
    "cheng-parts",
    parts_cell,
    quick={"data": ["orl"], "seed": [0], "method": LABELED},
    paper={"data": ALL, "seed": list(range(10)), "method": PARTS},
)
LABELS = Grid(
    "cheng-labels",
    labels_cell,
    quick={"data": ["orl"], "fraction": [0.3], "seed": [0], "method": ["SupervisedNMF"]},
    paper={
        "data": ["yale", "orl"],
        "fraction": [0.0, 0.1, 0.3, 0.5],
        "seed": list(range(5)),
        "method": ["NMF", *LABELED],
    },
)
CORRUPTION = {
    kind: Grid(
        f"cheng-{name}",
        corruption_cell,
        quick={
            "data": ["orl"],
            "kind": [kind],
            "level": levels[1:2],
            "seed": [0],
            "method": LABELED,
        },
        paper={
            "data": ["yale", "orl"],
            "kind": [kind],
            "level": levels,
            "seed": list(range(5)),
            "method": [*PARTS, "raw pixels"],
        },
    )
    for kind, name, levels in (
        ("salt & pepper", "salt", [0, 10, 20, 30, 40]),
        ("blocks", "blocks", [4, 8, 12, 16]),
    )
}
SWEEPS_GRID = Grid(
    "cheng-sweeps",
    sweeps_cell,
    quick={"data": ["yale"], "lam": [1e-5], "seed": [0]},
    paper={"data": ["yale", "orl"], "lam": [0.0, 1e-5, BYTES_LAM, 0.1], "seed": [0, 1]},
)

#: Each grid with the data sets it needs.
GRIDS = [
    (RAW["yale"], ["yale32"]),
    (RAW["umist"], ["umist"]),
    (RAW["orl"], ["orl32"]),
    (LAM, ["yale32", "umist", "orl32"]),
    (YALE, ["yale32"]),
    (ORL, ["orl32"]),
    (ORL_PRINTED, ["orl32"]),
    (UMIST, ["umist"]),
    (PARTS_GRID, ["yale32", "umist", "orl32"]),
    (LABELS, ["yale32", "orl32"]),
    (CORRUPTION["salt & pepper"], ["yale32", "orl32"]),
    (CORRUPTION["blocks"], ["yale32", "orl32"]),
    (SWEEPS_GRID, ["yale32", "orl32"]),
]
