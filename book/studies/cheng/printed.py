"""Tables 1 to 3 of Cheng, Wang and Guan, as printed."""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent

#: Best mean accuracy and its rank, for the three sizes of the training set in printed
#: order.
PRINTED = "printed.csv"

#: Training images per subject: what the text and the figures say, and what the tables'
#: heads say.
IN_TEXT = {"yale": [4, 5, 6], "umist": [6, 7, 9], "orl": [4, 5, 6]}
IN_HEAD = [6, 7, 9]


def printed_tables():
    """Return one row per data set, training size and method, in the order of the tables."""
    wide = pd.read_csv(HERE / PRINTED, sep=r"\s*,\s*", engine="python")
    rows = [
        {
            "data": row.data,
            "n_train": IN_TEXT[row.data][k],
            "head": IN_HEAD[k],
            "method": row.method,
            "accuracy": row[f"a{k + 1}"],
            "r": row[f"r{k + 1}"],
        }
        for _, row in wide.iterrows()
        for k in range(3)
    ]
    return pd.DataFrame(rows).astype({"r": int})
