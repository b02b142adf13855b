"""Grids on Cheng, Wang and Guan: Tables 1 to 3, Figs. 1 to 3, and experiments of our own."""

from studies import grid
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
from studies.cheng.unit_norms import METHODS as UNIT_METHODS
from studies.cheng.unit_norms import (
    unit_best_cell,
    unit_cell,
    unit_lam_cell,
    unit_sweeps_cell,
)

# r ≤ n, and Yale has 60 training images in its smallest setting. The two methods whose
# λ has a unit run with both ranges that the pixels of the paper may have, bytes and
# [0, 1]. On UMIST, which decides nothing, MCCGR has [0, 1] alone.
COMPARED = ["CIMNMF", "MCCGR", "SupervisedNMF", "CSNMF, bytes", "CSNMF"]
BYTES = [*COMPARED, "MCCGR, bytes"]
#: Data -> training images per subject, ranks and methods.
TABLES = {
    "yale": ([4, 5, 6], [10, 20, 30, 40, 50, 60], BYTES),
    "umist": ([6, 7, 9], [10, 30, 60, 120], COMPARED),
    "orl": ([4, 5, 6], [10, 30, 60, 120], BYTES),
}
SPLITS, FEWER = range(10), range(5)
LIVE = {"method": ["SupervisedNMF", "CSNMF, bytes"]}
YALE, UMIST, ORL = (
    grid(
        f"cheng-{data}",
        faces_cell,
        LIVE,
        data=[data],
        n_train=n,
        r=ranks,
        seed=SPLITS,
        method=of,
    )
    for data, (n, ranks, of) in TABLES.items()
)
RAW = {
    data: grid(f"cheng-raw-{data}", raw_cell, data=[data], n_train=n, seed=SPLITS)
    for data, (n, *_) in TABLES.items()
}
# The four ranks miss all twelve optima of Table 3. So each method also runs at its own.
ORL_PRINTED = grid(
    "cheng-orl-printed",
    printed_rank_cell,
    {"method": ["SupervisedNMF"]},
    data=["orl"],
    n_train=[4, 5, 6],
    seed=SPLITS,
    method=BYTES,
)
ON_ORL = {"data": ["orl"], "method": LABELED}
LAM = grid(
    "cheng-lam",
    lam_cell,
    ON_ORL | {"lam": [0.001]},
    data=list(TABLES),
    lam=[0.0, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0],
    seed=range(100, 103),
    method=LABELED,
)
PARTS_GRID = grid(
    "cheng-parts", parts_cell, ON_ORL, data=list(TABLES), seed=SPLITS, method=PARTS
)
LABELS = grid(
    "cheng-labels",
    labels_cell,
    {"data": ["orl"], "fraction": [0.3], "method": ["SupervisedNMF"]},
    data=["yale", "orl"],
    fraction=[0.0, 0.1, 0.3, 0.5],
    seed=FEWER,
    method=["NMF", *LABELED],
)
CORRUPTION = {
    kind: grid(
        f"cheng-{name}",
        corruption_cell,
        ON_ORL | {"level": levels[1:2]},
        data=["yale", "orl"],
        kind=[kind],
        level=levels,
        seed=FEWER,
        method=[*PARTS, "raw pixels"],
    )
    for kind, name, levels in (
        ("salt & pepper", "salt", [0, 10, 20, 30, 40]),
        ("blocks", "blocks", [4, 8, 12, 16]),
    )
}
LAMBDAS = {"lam": [0.0, 1e-5, BYTES_LAM, 0.1]}
SWEEPS_GRID = grid(
    "cheng-sweeps",
    sweeps_cell,
    {"lam": [1e-5]},
    data=["yale", "orl"],
    **LAMBDAS,
    seed=[0, 1],
)

# The same with columns of W of length one, which is ours: see `unit_norms`. For want of
# processor time ORL has five draws and UMIST three.
UNIT = {
    data: grid(
        name,
        unit_cell,
        {"method": ["SupervisedNMF", "CSNMF, bytes"]},
        data=[data],
        n_train=TABLES[data][0],
        r=TABLES[data][1],
        seed=seeds,
        method=list(UNIT_METHODS),
    )
    for data, name, seeds in (
        ("yale", "cheng-unit-yale", SPLITS),
        ("umist", "cheng-unit-umist", range(3)),
        ("orl", "cheng-unit-orl-all", FEWER),
    )
}
UNIT_ORL_FIRST = grid(
    "cheng-unit-orl",
    unit_cell,
    {"method": ["SupervisedNMF", "CSNMF, bytes"]},
    data=["orl"],
    n_train=[5],
    r=[30, 60],
    seed=SPLITS,
    method=list(UNIT_METHODS),
)
UNIT_LAM = grid(
    "cheng-unit-lam",
    unit_lam_cell,
    data=["yale", "orl"],
    lam=[0.0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0],
    seed=range(100, 103),
    method=LABELED,
)
UNIT_BEST = grid(
    "cheng-unit-best",
    unit_best_cell,
    data=["yale", "orl"],
    seed=SPLITS,
    method=LABELED,
)
UNIT_SWEEPS = grid(
    "cheng-unit-sweeps",
    unit_sweeps_cell,
    data=["yale", "orl"],
    seed=[0, 1],
    method=["CSNMF", "CSNMF, bytes"],
)

YALE_ORL = ["yale32", "orl32"]
#: Each grid with the data sets it needs.
GRIDS = [
    *((one, ["yale32"]) for one in (RAW["yale"], YALE)),
    *((one, ["umist"]) for one in (RAW["umist"], UMIST)),
    *((one, ["orl32"]) for one in (RAW["orl"], ORL, ORL_PRINTED)),
    *((one, ["yale32", "umist", "orl32"]) for one in (LAM, PARTS_GRID)),
    *((one, YALE_ORL) for one in (LABELS, *CORRUPTION.values(), SWEEPS_GRID)),
    (UNIT["yale"], ["yale32"]),
    (UNIT["umist"], ["umist"]),
    *((one, ["orl32"]) for one in (UNIT["orl"], UNIT_ORL_FIRST)),
    *((one, YALE_ORL) for one in (UNIT_LAM, UNIT_BEST, UNIT_SWEEPS)),
]
