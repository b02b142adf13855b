"""The targets for speed, and whether the stored rows meet them."""

import pandas as pd

EUCLID, SCIKIT = "NMF", "scikit-learn mu"

#: Model, what its time is divided by, and the largest ratio wanted.
TARGETS = [
    ("NMF", SCIKIT, 1.0),
    ("NMF", "products", 1.4),
    ("NMF, divergence", "scikit-learn mu, divergence", 0.6),
    ("L21NMF", EUCLID, 1.4),
    ("RobustNMF", EUCLID, 2.5),
    *(
        (f"{name}{scale}", EUCLID, 4.5)
        for name in ("HuberNMF", "CIMNMF", "CauchyNMF")
        for scale in (", fixed scale", "")
    ),
    ("HypersurfaceNMF", EUCLID, 4.5),
    ("TruncatedCauchyNMF, no rule", EUCLID, 40),
    ("TruncatedCauchyNMF", EUCLID, 40),
    ("TruncatedCauchyNMF, mixture", EUCLID, 40),
    ("L1RobustNMF", EUCLID, 8),
]

#: Problem, solver, and the largest part wanted of the time of what it is next to.
OBJECTIVE_TARGETS = [
    ("NMF", "NMF, cd", 0.6),
    ("NMF, clean faces", "NMF, cd", 0.6),
    ("HuberNMF", "cd", 1 / 12),
    ("CIMNMF", "cd", 1 / 12),
    ("CauchyNMF", "cd", 1 / 8),
    ("HypersurfaceNMF", "cd", 1 / 8),
    ("RobustNMF", "cd", 1 / 8),
    ("L21NMF", "cd", 1 / 8),
    ("CappedNMF", "cd", 1 / 8),
    ("TruncatedCauchyNMF", "cd", 1 / 4),
]


def medians(sweeps, floor):
    """Return milliseconds per sweep: names × precisions, the medians over the rounds."""
    parts = floor[floor.kind == "part"]
    bare = parts[parts.name.isin(["WtX", "XHt", "small"])]
    bare = bare.groupby(["round", "precision"], as_index=False).milliseconds.sum()
    rows = pd.concat([sweeps, bare.assign(name="products")])
    return rows.pivot_table(
        index="name", columns="precision", values="milliseconds", aggfunc="median", sort=False
    )


def speed_targets(table):
    """Return one row for each target: the measured ratio, the wanted one, met or not."""
    ms = table["float64"]
    rows = [
        {
            "model": name,
            "next to": other,
            "measured": ms[name] / ms[other],
            "target": target,
            "met": bool(ms[name] <= target * ms[other]),
        }
        for name, other, target in TARGETS
    ]
    return pd.DataFrame(rows)


def time_to(curve, objective):
    """Return the seconds after which a curve is at or below an objective, or infinity."""
    reached = curve[curve.objective <= objective]
    return float(reached.took.min()) if len(reached) else float("inf")


def against_cd(solvers):
    """Return NeNMF's time over that of scikit-learn's cd, to the error of cd, for every seed."""
    rows = []
    euclid = solvers[solvers.problem_name == "Euclid"]
    for seed, runs in euclid.groupby("seed"):
        ours = runs[runs.solver == "NeNMF"]
        for point in runs[(runs.solver == "scikit-learn cd") & (runs.sweep >= 20)].itertuples():
            ratio = time_to(ours, point.objective) / point.took
            rows.append({"seed": seed, "sweep": point.sweep, "ratio": ratio})
    return pd.DataFrame(rows)


def times_to_objectives(objectives):
    """Return one row for each problem, solver and goal: the ratio of times over the starts."""
    ratio = objectives.took / objectives.reference_took
    keys = ["problem_name", "solver", "reference", "reference_sweeps"]
    groups = objectives.assign(ratio=ratio).groupby(keys, sort=False).ratio
    table = groups.agg(["median", "min", "max"]).reset_index()
    targets = {(problem, solver): target for problem, solver, target in OBJECTIVE_TARGETS}
    pairs = zip(table.problem_name, table.solver, strict=True)
    table["target"] = [targets.get(pair, float("nan")) for pair in pairs]
    table["met"] = [
        "" if target != target else bool(median <= target)
        for median, target in zip(table["median"], table.target, strict=True)
    ]
    return table
