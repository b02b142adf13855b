"""How many functions of the package a fit enters, which a reader of the code has to follow."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import published

#: The parameters of Guan et al.
PUBLISHED = {"scale": "published", "outliers": "three-sigma"}
#: The most functions that a fit may enter if its scale is given, or if it has none.
WITHOUT_SCALE = 44
#: The most functions if a fit estimates its scale.
WITH_SCALE = 66

#: Fits with the defaults of their class, or with the scale given -> the most files.
GIVEN = [
    (rt.NMF(), 8),
    (rt.NMF(solver="mu"), 8),
    (rt.NMF(loss="kullback-leibler"), 9),
    (rt.NeNMF(), 8),
    (rt.L1NMF(), 10),
    (rt.LocalNMF(), 8),
    (rt.RegularizedNMF(), 9),
    (rt.RobustNMF(lam=0.1), 10),
    (rt.RobustNMF(lam=0.1, solver="mu"), 7),
    (rt.L1RobustNMF(), 10),
    (rt.L21NMF(), 7),
    (rt.CappedNMF(theta=1.0), 7),
    (rt.HuberNMF(scale=0.1), 9),
    (rt.HuberNMF(scale=0.1, divergence="kullback-leibler"), 10),
    (rt.TruncatedCauchyNMF(scale=0.1), 8),
    (rt.ManifoldDiscriminativeNMF(), 8),
    (rt.SupervisedNMF(), 8),
    (rt.RobustManifoldNMF(), 9),
    (published.diaz.L21NMF(), 8),
    (published.regularized.NMF(), 8),
]
ESTIMATED = [
    (rt.HuberNMF(), 9),
    (rt.CIMNMF(), 9),
    (rt.CauchyNMF(), 9),
    (rt.HypersurfaceNMF(), 9),
    (rt.RobustNMF(), 10),
    (rt.CappedNMF(), 9),
    (rt.TruncatedCauchyNMF(), 9),
    (rt.TruncatedCauchyNMF(**PUBLISHED, solver="nesterov"), 9),
    (rt.TruncatedCauchyNMF(**PUBLISHED, solver="published"), 10),
    (rt.CSNMF(), 9),
    (rt.MCCGR(), 9),
    (published.zhang.RobustNMF(), 9),
    (published.guan.CappedNMF(), 9),
]
WALKS = [(model, WITHOUT_SCALE, files) for model, files in GIVEN]
WALKS += [(model, WITH_SCALE, files) for model, files in ESTIMATED]

PACKAGE = Path(rt.__file__).parent
COMPREHENSIONS = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}


def entered(call):
    """Return the code of every function of the package that a call enters."""
    codes = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: event == "call" and codes.add(frame.f_code))
    try:
        call()
    finally:
        sys.setprofile(before)
    # The body of a class or of a module is not a function.
    functions = (code for code in codes if code.co_flags & inspect.CO_OPTIMIZED)
    ours = (code for code in functions if PACKAGE in Path(code.co_filename).parents)
    return {code for code in ours if code.co_name not in COMPREHENSIONS}


@pytest.mark.parametrize(("model", "functions", "files"), WALKS, ids=repr)
def test_a_fit_is_a_short_walk(model, functions, files):
    """A fit with the default tolerance, so also what it looks at to warn of."""
    A, y = np.random.default_rng(0).uniform(size=(20, 12)), np.arange(20) % 3
    model = clone(model).set_params(n_components=3, random_state=0)
    model.fit(A, y)  # so that imports are no part of the walk
    codes = entered(lambda: model.fit(A, y))
    names = sorted(
        {Path(code.co_filename).relative_to(PACKAGE).as_posix() for code in codes}
    )
    assert any(code.co_qualname.endswith(".fit") for code in codes)
    assert len(codes) <= functions and len(names) <= files, (
        f"{len(codes)} functions of at most {functions}, {len(names)} files of at most {files}: "
        f"{', '.join(names)}"
    )
