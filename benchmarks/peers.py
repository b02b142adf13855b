"""The same sweeps by others: scikit-learn's NMF and, where it imports, nimfa."""

import warnings
from unittest.mock import patch

import numpy as np
from sklearn.decomposition import NMF as ScikitNMF

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its syntax is from another age
    try:
        import nimfa
    except ImportError:
        nimfa = None


def scikit(A, W, H, sweeps, **options):
    """Run scikit-learn's NMF for exactly so many sweeps; return W and H."""
    model = ScikitNMF(len(H), init="custom", max_iter=sweeps, tol=0, **options)
    Ht = model.fit_transform(A, W=H.T.copy(), H=W.T.copy())
    return model.components_.T, Ht.T


def nimfa_run(method, A, W, H, sweeps, **options):
    """Run a method of nimfa, which stops only at its last sweep or where its objective rises."""
    # Its version 1.4.0 asks for a name that NumPy 2 has removed; without it, it raises an error.
    with patch.object(np, "mat", np.asmatrix, create=True):
        fit = getattr(nimfa, method)(
            A.T, seed=None, W=W, H=H, rank=len(H), max_iter=sweeps, min_residuals=0, **options
        )()
    return np.asarray(fit.basis()), np.asarray(fit.coef())


def _scikit(**options):
    return lambda A, W, H, sweeps: scikit(A, W, H, sweeps, **options)


def _nimfa(method, **options):
    return lambda A, W, H, sweeps: nimfa_run(method, A, W, H, sweeps, **options)


#: Solvers of the Euclidean problem: ``run(A, W0, H0, sweeps)`` returns W and H.
EUCLIDEAN = {"scikit-learn mu": _scikit(solver="mu"), "scikit-learn cd": _scikit(solver="cd")}
DIVERGENCE = {"scikit-learn mu, divergence": _scikit(solver="mu", beta_loss="kullback-leibler")}
if nimfa is not None:
    EUCLIDEAN |= {"nimfa nmf": _nimfa("Nmf"), "nimfa lsnmf": _nimfa("Lsnmf")}
    DIVERGENCE |= {"nimfa nmf, divergence": _nimfa("Nmf", update="divergence", objective="div")}
PEERS = EUCLIDEAN | DIVERGENCE
