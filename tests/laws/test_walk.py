"""How far a reader of one fit has to walk: how many functions of the package it enters."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt

#: A fit -> the most functions that it may enter, in the most files. The goal is 40
#: functions, or 60 where a fit begins with a robust one.
WALKS = [
    (rt.NMF(solver="mu"), 44, 6),
    (rt.RobustNMF(lam=0.1, solver="mu"), 46, 6),
    (rt.CSNMF(), 72, 6),
    (rt.MCCGR(), 70, 6),
    (
        rt.TruncatedCauchyNMF(
            solver="nesterov", scale="published", outliers="three-sigma"
        ),
        *(69, 6),
    ),
    (rt.HuberNMF(scale=0.1), 63, 6),
    (rt.NMF(), 48, 7),
    (rt.HuberNMF(), 82, 7),
    (rt.TruncatedCauchyNMF(), 92, 7),
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
    # the body of a class or of a module is no function
    functions = (code for code in codes if code.co_flags & inspect.CO_OPTIMIZED)
    ours = (code for code in functions if PACKAGE in Path(code.co_filename).parents)
    return {code for code in ours if code.co_name not in COMPREHENSIONS}


@pytest.mark.parametrize(("model", "functions", "files"), WALKS, ids=repr)
def test_a_fit_is_a_short_walk(model, functions, files):
    """Thirty sweeps, without what a fit looks at after them to warn of."""
    A, y = np.random.default_rng(0).uniform(size=(20, 12)), np.arange(20) % 3
    model = clone(model).set_params(n_components=3, max_iter=30, tol=0, random_state=0)
    model.fit(A, y)  # what is imported only now is no part of a fit
    codes = entered(lambda: model.fit(A, y))
    names = sorted(
        {Path(code.co_filename).relative_to(PACKAGE).as_posix() for code in codes}
    )
    assert any(code.co_qualname.endswith(".fit") for code in codes)
    assert len(codes) <= functions and len(names) <= files, (
        f"{len(codes)} functions of at most {functions}, {len(names)} files of at most {files}: "
        f"{', '.join(names)}"
    )
