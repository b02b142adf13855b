"""How many functions of the package a fit enters, which a reader of the code has to follow."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt

#: A fit -> the most functions that it may enter, in the most files. The goal is 44
#: functions where the scale is given or there is none, and 66 where it is estimated.
WALKS = [
    (rt.NMF(), 44, 8),
    (rt.NMF(solver="mu"), 44, 8),
    (rt.NeNMF(), 44, 8),
    (rt.LocalNMF(), 44, 8),
    (rt.RobustNMF(lam=0.1), 44, 10),
    (rt.RobustNMF(lam=0.1, solver="mu"), 44, 7),
    (rt.L1RobustNMF(), 44, 10),
    (rt.HuberNMF(scale=0.1), 44, 9),
    (rt.HuberNMF(), 66, 9),
    (rt.CIMNMF(), 66, 9),
    (rt.CauchyNMF(), 66, 9),
    (rt.HypersurfaceNMF(), 66, 9),
    (rt.RobustNMF(), 66, 10),
    (rt.TruncatedCauchyNMF(), 66, 9),
    (
        rt.TruncatedCauchyNMF(
            solver="nesterov", scale="published", outliers="three-sigma"
        ),
        *(66, 9),
    ),
    (
        rt.TruncatedCauchyNMF(
            solver="published", scale="published", outliers="three-sigma"
        ),
        *(66, 10),
    ),
    # These are above the goal: they have more to do than weights and a solver. The
    # numbers are those of today.
    (rt.L21NMF(), 46, 9),
    (rt.L1NMF(), 47, 10),
    (rt.RegularizedNMF(), 46, 9),
    (rt.ManifoldDiscriminativeNMF(), 50, 10),
    (rt.SupervisedNMF(), 58, 10),
    (rt.RobustManifoldNMF(), 60, 10),
    (rt.CSNMF(), 67, 10),
    (rt.MCCGR(), 69, 10),
    (rt.CappedNMF(), 69, 9),
]

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
