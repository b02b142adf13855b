"""Table 2 of Díaz, Steele and Nguyen, as printed."""

import io

import pandas as pd

#: RRE, ACC, NMI on ORL, then on Extended Yale B.
PRINTED = """
noise,                 method,          rre,   ac,    nmi,   rre_b, ac_b,  nmi_b
salt & pepper p=0.125, L1RobustNMF,     0.211, 0.627, 0.772, 0.345, 0.147, 0.205
salt & pepper p=0.125, L21NMF,          0.208, 0.631, 0.787, 0.242, 0.149, 0.195
salt & pepper p=0.125, NMF from NNDSVD, 0.227, 0.619, 0.767, 0.254, 0.21,  0.262
salt & pepper p=0.188, L1RobustNMF,     0.244, 0.544, 0.695, 0.334, 0.127, 0.192
salt & pepper p=0.188, L21NMF,          0.243, 0.546, 0.707, 0.265, 0.142, 0.194
salt & pepper p=0.188, NMF from NNDSVD, 0.261, 0.516, 0.678, 0.279, 0.191, 0.256
salt & pepper p=0.25,  L1RobustNMF,     0.275, 0.43,  0.611, 0.341, 0.132, 0.171
salt & pepper p=0.25,  L21NMF,          0.273, 0.428, 0.61,  0.294, 0.122, 0.162
salt & pepper p=0.25,  NMF from NNDSVD, 0.286, 0.413, 0.588, 0.317, 0.182, 0.244
Laplace 0.06,          L1RobustNMF,     0.139, 0.71,  0.836, 0.32,  0.151, 0.205
Laplace 0.06,          L21NMF,          0.135, 0.716, 0.839, 0.225, 0.147, 0.205
Laplace 0.06,          NMF from NNDSVD, 0.161, 0.714, 0.834, 0.23,  0.208, 0.279
Laplace 0.09,          L1RobustNMF,     0.161, 0.729, 0.848, 0.305, 0.151, 0.217
Laplace 0.09,          L21NMF,          0.156, 0.687, 0.824, 0.231, 0.157, 0.213
Laplace 0.09,          NMF from NNDSVD, 0.18,  0.706, 0.83,  0.237, 0.224, 0.274
Laplace 0.12,          L1RobustNMF,     0.185, 0.682, 0.816, 0.304, 0.153, 0.224
Laplace 0.12,          L21NMF,          0.181, 0.651, 0.798, 0.241, 0.146, 0.199
Laplace 0.12,          NMF from NNDSVD, 0.204, 0.637, 0.779, 0.248, 0.219, 0.265
Gaussian 0.01,         L1RobustNMF,     0.123, 0.731, 0.85,  0.338, 0.163, 0.216
Gaussian 0.01,         L21NMF,          0.119, 0.743, 0.858, 0.224, 0.151, 0.216
Gaussian 0.01,         NMF from NNDSVD, 0.143, 0.73,  0.847, 0.225, 0.218, 0.285
Gaussian 0.1,          L1RobustNMF,     0.148, 0.717, 0.83,  0.316, 0.158, 0.213
Gaussian 0.1,          L21NMF,          0.143, 0.719, 0.834, 0.23,  0.149, 0.203
Gaussian 0.1,          NMF from NNDSVD, 0.167, 0.701, 0.823, 0.233, 0.218, 0.258
Gaussian 0.5,          L1RobustNMF,     0.38,  0.247, 0.426, 0.445, 0.1,   0.108
Gaussian 0.5,          L21NMF,          0.379, 0.252, 0.419, 0.424, 0.087, 0.083
Gaussian 0.5,          NMF from NNDSVD, 0.375, 0.238, 0.422, 0.458, 0.154, 0.177
"""


def printed_table():
    """Return one row per data set, noise and method; their L2 is "NMF from NNDSVD"."""
    wide = pd.read_csv(io.StringIO(PRINTED), sep=r"\s*,\s*", engine="python")
    orl = wide[["noise", "method", "rre", "ac", "nmi"]]
    yaleb = wide[["noise", "method"]].assign(
        **{metric: wide[f"{metric}_b"] for metric in ("rre", "ac", "nmi")}
    )
    return pd.concat([orl.assign(data="orl"), yaleb.assign(data="yaleb")], ignore_index=True)
