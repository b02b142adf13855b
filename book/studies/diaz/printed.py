"""Table 2 of Díaz, Steele and Nguyen, as printed."""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent

#: RRE, ACC, NMI on ORL, then on Extended Yale B.
PRINTED = "printed.csv"


def printed_table():
    """Return one row per data set, noise and method; their L2 is "NMF from NNDSVD"."""
    wide = pd.read_csv(HERE / PRINTED, sep=r"\s*,\s*", engine="python")
    orl = wide[["noise", "method", "rre", "ac", "nmi"]]
    yaleb = wide[["noise", "method"]].assign(
        **{metric: wide[f"{metric}_b"] for metric in ("rre", "ac", "nmi")}
    )
    return pd.concat(
        [orl.assign(data="orl"), yaleb.assign(data="yaleb")], ignore_index=True
    )
