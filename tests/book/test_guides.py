"""The code that README.md shows runs, and is what the first page of the book shows."""

import re

import nbformat
import pytest

from rnmf_tutorial.evaluation import relative_error
from tests.project import ROOT

FIRST, SECOND = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M
)
SEARCH = "MaskedSearchCV(n_components=7, random_state=0)"

# A first example that warns puts people off.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow]


def test_the_first_example_is_what_the_first_page_runs():
    """The page runs the search of many candidates; here one candidate says whether the rest is."""
    page = nbformat.read(ROOT / "book" / "index.ipynb", as_version=4)
    assert f"{SEARCH}.fit(A)" in "".join(c.source for c in page.cells if c.cell_type == "code")
    assert FIRST.count(SEARCH) == 1
    one = "MaskedSearchCV([NMF(7, random_state=0)], n_repeats=1, random_state=0)"
    names = {}
    exec(f"from rnmf_tutorial import NMF\n{FIRST.replace(SEARCH, one)}", names)
    assert names["parts"].shape == (7, 1024) and names["amounts"].shape == (300, 7)


def test_the_second_example_factors_faces():
    names = {}
    exec(SECOND, names)
    faces, model = names["faces"].data, names["model"]
    assert names["coefficients"].shape == (400, 40)
    assert model.error_.shape == faces.shape
    assert relative_error(faces, model.inverse_transform(names["coefficients"])) < 0.15
