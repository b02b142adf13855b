"""Verdicts on Tables II to IV of Guan et al."""

import pandas as pd

from studies.guan.printed import MISPRINTS, printed_table
from studies.rows import stored
from studies.verdicts import MISPRINT, REPRODUCED, allowed_distance, judge

METRICS = ["rre", "ac", "nmi"]
TABLE_OF = {"Laplace": "II", "salt & pepper": "III", "blocks": "IV"}
#: The two readings of Truncated Cauchy NMF that are judged, by the name of the outlier rule.
READINGS = ["none", "three-sigma"]
OWN = "TruncatedCauchyNMF"


def split(rows):
    """Split the noise into its kind and its level."""
    parts = rows.noise.str.rsplit(" ", n=1)
    return rows.assign(kind=parts.str[0], level=parts.str[1].astype(int))


def runs_of(name):
    """Return the rows of one of the paper's grids, the noise split into its kind and its level."""
    rows = stored(f"guan-{name}")
    return split(rows) if "noise" in rows else rows


def stored_rules():
    """Return the runs of Truncated Cauchy NMF with each outlier rule."""
    return pd.concat([runs_of(name) for name in ("rules", "rules-more", "rules-laplace")])


def with_reading(rule):
    """Return the competitors' runs, with one rule's as those of Truncated Cauchy NMF."""
    shared = ["seed", "noise", "kind", "level", "method", *METRICS]
    rules = stored_rules()
    truncated = rules[rules.rule == rule].assign(method=OWN)
    cauchy = rules[rules.rule == "none"].assign(method="CauchyNMF")
    return pd.concat([runs_of("tables"), truncated, cauchy])[shared]


def tables():
    """Judge Tables II to IV, in percent; the order counts within their rows.

    Returns
    -------
    DataFrame
        One row per printed number, and two for those of Truncated Cauchy NMF: its `rule` is that
        of the reading, and empty for the competitors, who are ranked beside the first reading.
    """
    judged = []
    for rule in READINGS:
        rows = _judge(with_reading(rule)).assign(rule=rule)
        own = rows.method == OWN
        if rule == READINGS[0]:
            judged.append(rows[~own].assign(rule=""))
        judged.append(rows[own])
    return pd.concat(judged, ignore_index=True)


def _judge(runs):
    keys = ["noise", "method"]
    printed = split(printed_table())
    stats = runs.groupby(keys)[METRICS].agg(["mean", "std", "count"])
    stats = stats.stack(level=0, future_stack=True).rename_axis([*keys, "metric"])
    stats = stats.set_axis(["ours", "sd", "runs"], axis=1)
    rows = printed.join(stats, on=[*keys, "metric"])
    rows[["printed", "ours", "sd"]] *= 100
    allowed = allowed_distance(rows.printed, rows.sd, rounding=0.005)
    cells = zip(rows.noise, rows.method, rows.metric, strict=True)
    misprint = [cell in MISPRINTS for cell in cells]
    return judge(rows, among=["noise", "metric"], allowed=allowed, misprint=misprint)


def numbers():
    """Return Tables II to IV with verdicts, and the reason of each failure, as scoreboard rows."""
    rows = tables()
    place = "Table " + rows.kind.map(TABLE_OF)
    reading = rows.rule.map({"none": ", no rejection", "three-sigma": ", three-sigma", "": ""})
    return rows.assign(
        kind="number",
        place=place,
        data="orl",
        setting=rows.noise,
        method=rows.method + reading,
        reason=[_reason(row) for row in rows.itertuples()],
    )


def _reason(row):
    if row.verdict in (REPRODUCED, MISPRINT):
        return ""
    if row.kind == "Laplace":
        return "deviation and stopping point unclear"
    if row.method == OWN:
        return "no one outlier rule gives both tables"
    if row.kind == "salt & pepper":
        return "λ and budgets not printed"
    if row.method == "CauchyNMF" and row.level <= 14:
        return "works without rejection here"
    return "a few points apart"
