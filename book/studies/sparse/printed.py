"""Tables 1 and 2 of *Regularized non-negative matrix factorization*, as printed."""

import pandas as pd

#: Number of images -> e (%), s (%), c, for NMF.
TABLE_1 = pd.DataFrame(
    {2429: (8.70, 38.82, 8.23), 500: (8.41, 36.15, 10.17), 100: (6.12, 26.56, 18.73)},
    index=["e", "s", "c"],
).T

#: Method -> e (%), s (%), c, for 100 images. The last s is printed as 0.028.
TABLE_2 = pd.DataFrame(
    {
        "NMF (D, L1)": (6.40, 27.46, 18.50),
        "NMF": (6.12, 26.56, 18.73),
        "NMF (E, L2)": (6.02, 21.31, 22.78),
        "LocalNMF": (13.74, 95.37, 0.26),
        "PCA": (4.87, 0.028, 0.00),
    },
    index=["e", "s", "c"],
).T
