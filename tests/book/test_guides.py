"""The code that README.md shows runs, and is what the first page of the book shows."""

import re
import warnings

import nbformat
import pytest

from rnmf_tutorial import CauchyNMF
from rnmf_tutorial.evaluation import relative_error
from tests.project import ROOT

FIRST, SECOND = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M
)
SEARCH = "MaskedSearchCV(n_components=7, random_state=0)"

# A first example that warns puts people off.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow]


def test_the_first_example_runs():
    """One candidate says whether the lines around the search do; the search itself is below."""
    assert FIRST.count(SEARCH) == 1
    one = "MaskedSearchCV([NMF(7, random_state=0)], n_repeats=1, random_state=0)"
    names = {}
    with warnings.catch_warnings():  # plain NMF alone leaves errors that lie together, and says so
        warnings.simplefilter("ignore", UserWarning)
        exec(f"from rnmf_tutorial import NMF\n{FIRST.replace(SEARCH, one)}", names)
    assert names["parts"].shape == (7, 1024) and names["amounts"].shape == (300, 7)


@pytest.mark.long
def test_its_search_chooses_what_the_first_page_draws():
    names = {}
    with warnings.catch_warnings():  # the blocks on the houses lie together, and the search says so
        warnings.simplefilter("ignore", UserWarning)
        exec(FIRST, names)
    best = names["search"].best_estimator_
    page = nbformat.read(ROOT / "book" / "index.ipynb", as_version=4)
    (scale,) = {float(s) for c in page.cells for s in re.findall(r"scale=([\d.]+)", c.source)}
    assert isinstance(best, CauchyNMF) and best.scale == pytest.approx(scale, rel=0.01)


def test_the_second_example_factors_faces():
    names = {}
    exec(SECOND, names)
    faces, model = names["faces"].data, names["model"]
    assert names["coefficients"].shape == (400, 40)
    assert model.error_.shape == faces.shape
    assert relative_error(faces, model.inverse_transform(names["coefficients"])) < 0.15
