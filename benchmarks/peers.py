"""The same sweeps by others: scikit-learn's NMF and, where it imports, nimfa."""

import time
import warnings
from functools import partial
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
    # Its version 1.4.0 asks for a name that NumPy 2 has removed; without it, it raises
    # an error.
    with patch.object(np, "mat", np.asmatrix, create=True):
        fit = getattr(nimfa, method)(
            A.T,
            seed=None,
            W=W,
            H=H,
            rank=len(H),
            max_iter=sweeps,
            min_residuals=0,
            **options,
        )()
    return np.asarray(fit.basis()), np.asarray(fit.coef())


#: Solvers of the Euclidean problem: ``run(A, W0, H0, sweeps)`` returns W and H.
EUCLIDEAN = {
    f"scikit-learn {solver}": partial(scikit, solver=solver) for solver in ("mu", "cd")
}
DIVERGENCE = {
    "scikit-learn mu, divergence": partial(
        scikit, solver="mu", beta_loss="kullback-leibler"
    )
}
if nimfa is not None:
    EUCLIDEAN |= {
        f"nimfa {name.lower()}": partial(nimfa_run, name) for name in ("Nmf", "Lsnmf")
    }
    options = {"update": "divergence", "objective": "div"}
    DIVERGENCE |= {"nimfa nmf, divergence": partial(nimfa_run, "Nmf", **options)}
PEERS = EUCLIDEAN | DIVERGENCE


def timed(run, A, W, H, sweeps):
    """Return what a peer finds in so many sweeps, and its seconds."""
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(A, W, H, sweeps)
    return found, time.process_time() - begin
