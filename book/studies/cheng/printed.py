"""Tables 1 to 3 of Cheng, Wang and Guan, as printed."""

import io

import pandas as pd

#: Best mean accuracy and its rank, for the three sizes of the training set in printed order.
PRINTED = """
data,  method,        a1,     r1,  a2,     r2,  a3,     r3
yale,  CSNMF,         0.5705, 35,  0.5994, 30,  0.6453, 40
yale,  CIMNMF,        0.5229, 30,  0.5694, 30,  0.6060, 35
yale,  MCCGR,         0.4719, 30,  0.5400, 15,  0.5820, 20
yale,  SupervisedNMF, 0.5852, 115, 0.5661, 120, 0.6033, 65
umist, CSNMF,         0.9839, 85,  0.9972, 75,  1.0000, 75
umist, CIMNMF,        0.9750, 115, 0.9869, 95,  0.9942, 110
umist, MCCGR,         0.9697, 45,  0.9800, 105, 0.9812, 45
umist, SupervisedNMF, 0.9769, 75,  0.9931, 110, 0.9963, 60
orl,   CSNMF,         0.8900, 110, 0.9552, 110, 0.9544, 90
orl,   CIMNMF,        0.8640, 105, 0.9320, 100, 0.9422, 90
orl,   MCCGR,         0.8363, 45,  0.9137, 70,  0.9284, 45
orl,   SupervisedNMF, 0.8869, 80,  0.9400, 75,  0.9478, 55
"""

#: Training images per subject: what the text and the figures say, and what the tables' heads say.
IN_TEXT = {"yale": [4, 5, 6], "umist": [6, 7, 9], "orl": [4, 5, 6]}
IN_HEAD = [6, 7, 9]


def printed_tables():
    """Return one row per data set, training size and method, in the order of the tables."""
    wide = pd.read_csv(io.StringIO(PRINTED), sep=r"\s*,\s*", engine="python")
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
