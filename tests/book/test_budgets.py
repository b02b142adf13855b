"""The project stays small: lines of code by folder, and how far a reader of one fit has to walk."""

import inspect
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt
from tests.project import load_tool, tracked

LINES = load_tool("lines")
#: What `make lines` counts -> the most that it may be.
BUDGETS = {
    "wheel: modules": 44,
    "wheel": 3_900,
    "tests": 7_800,
    "studies, extensions, tools, benchmarks": 8_000,
    "book/figures": 2_500,
    "JavaScript and CSS": 2_571,
    "notebooks: hidden drawing and setup": 2_300,
    "notebooks: shown code": 1_320,
}
#: A fit -> the most functions that it may enter, in the most files. The goal is 40 functions, or 60
#: where a fit begins with a robust one.
WALKS = [
    (rt.NMF(solver="mu"), 44, 6),
    (rt.RobustNMF(lam=0.1, solver="mu"), 46, 6),
    (rt.CSNMF(), 72, 6),
    (rt.MCCGR(), 70, 6),
    (rt.TruncatedCauchyNMF(solver="nesterov", scale="published", outliers="three-sigma"), *(69, 6)),
    (rt.HuberNMF(scale=0.1), 63, 6),
    (rt.NMF(), 48, 7),
    (rt.HuberNMF(), 82, 7),
    (rt.TruncatedCauchyNMF(), 92, 7),
]


# ------------------------------------------------------------------ lines


@pytest.mark.slow
def test_no_budget_of_lines_is_exceeded():
    assert tracked()
    counts = LINES.counts()
    over = {name: counts[name] - most for name, most in BUDGETS.items() if counts[name] > most}
    assert not over, "\n" + "\n".join(
        f"{name}: {counts[name]:,}, which is {more:,} over the budget of {BUDGETS[name]:,}"
        for name, more in over.items()
    )


def test_blank_lines_comments_and_docstrings_are_no_code():
    source = (
        '"""A\nB."""\n\n# why\ndef f():\n    """What."""\n    return (  # one\n\n"""1\n\n""")\n'
    )
    assert LINES.python_lines(source) == {5, 7, 9, 11}
    script = "/* why\n\n and how */\na = 1; // one\n\n  // two\nb = 'http://c';\n"
    assert LINES.site_lines(script) == 2


def test_a_cell_counts_as_what_it_is_tagged_and_its_assertions_as_checks():
    cells = {"%pip install x\nx = 1": [], "y = 2\nassert (\n    y\n)": ["hide-input"]}
    cells["assert x\nz = 3"] = ["checks", "hide-cell"]
    new = nbformat.v4.new_code_cell
    cells = [new(source, metadata={"tags": tags}) for source, tags in cells.items()]
    found = LINES.notebook_lines(nbformat.writes(nbformat.v4.new_notebook(cells=cells)))
    kinds = ("shown code", "hidden drawing and setup", "hidden checks", "cells that assert")
    assert [found[f"notebooks: {kind}"] for kind in kinds] == [2, 1, 5, 2]


# ------------------------------------------------------------------ the walk through one fit

PACKAGE = Path(rt.__file__).parent
COMPREHENSIONS = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}


def entered(call):
    """Return the code of every function of the package that a call enters."""
    codes, before = set(), sys.getprofile()
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
    names = sorted({Path(code.co_filename).relative_to(PACKAGE).as_posix() for code in codes})
    assert any(code.co_qualname.endswith(".fit") for code in codes)
    assert len(codes) <= functions and len(names) <= files, (
        f"{len(codes)} functions of at most {functions}, {len(names)} files of at most {files}: "
        f"{', '.join(names)}"
    )
