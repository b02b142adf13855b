"""Tables II, III, IV and V of Guan et al., as printed, as percentages."""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent

#: Relative errors with their deviations.
TABLE_2_AND_3 = "table_2_and_3.csv"

#: Accuracies with NMI in parentheses.
TABLE_4 = "table_4.csv"

#: Recognition rates with SRC, and of SEC.
TABLE_5 = "table_5.csv"

#: Cells that break the run of their column by what looks like one digit; they get no
#: verdict.
MISPRINTS = {("salt & pepper 60", "NeNMF", "rre"), ("blocks 16", "CauchyNMF", "nmi")}


def printed_table():
    """Return Tables II to IV in fractions: noise, method, metric (rre, ac, nmi), printed, sd."""
    errors = _pairs(TABLE_2_AND_3, "printed", "printed_sd").assign(metric="rre")
    both = _pairs(TABLE_4, "ac", "nmi")
    clustering = both.melt(["noise", "method"], var_name="metric", value_name="printed")
    return pd.concat([errors, clustering], ignore_index=True)


def printed_recognition():
    """Return Table V in fractions, one row per method, one column per kind of test image."""
    return _read(TABLE_5).set_index("method") / 100


def _read(file):
    return pd.read_csv(HERE / file, sep=r"\s*\|\s*", engine="python")


def _pairs(file, first, second):
    """Split cells such as "14.78 (0.01)" in two columns of fractions, one row per cell."""
    long = _read(file).melt("noise", var_name="method", value_name="cell")
    numbers = long.pop("cell").str.extract(r"([\d.]+) \(([\d.]+)\)").astype(float) / 100
    return long.assign(**{first: numbers[0], second: numbers[1]})
