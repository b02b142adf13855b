"""The map of the methods says what the package does: each place is found anew, by computing."""

import inspect
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import rnmf_tutorial
from rnmf_tutorial.core import Point, Run
from rnmf_tutorial.losses import GemanMcClure, Loss
from tests.project import ROOT, load_module

method_map = load_module(ROOT / "book" / "_ext" / "method_map.py")

SIDE, SAMPLES = 12, 6
LABELS = np.arange(SAMPLES) % 2
by_model = pytest.mark.parametrize("place", method_map.MODELS, ids=lambda place: place.name)


def begun(name, **options):
    """A run of a model at a point that fits the data well; the scale of its loss is small."""
    kind = getattr(rnmf_tutorial, name)
    known = inspect.signature(kind).parameters
    given = {"shape": (SIDE, SIDE), "scale": 0.1, "theta": 0.1, "random_state": 0} | options
    model = kind(2, **{key: value for key, value in given.items() if key in known})
    rng = np.random.default_rng(0)
    W, H = rng.uniform(1, 2, (SIDE**2, 2)), rng.uniform(1, 2, (2, SAMPLES))
    run = model.begin((W @ H).T, LABELS)
    if name == "WindowNMF":  # the loss of its growth, after which patches are in or out
        loss = Loss(GemanMcClure(), group=run.loss.group, scale=0.1)
        run = Run(run.point, loss, run.step)
    return run, Point(W @ H + 1e-3 * rng.uniform(size=(SIDE**2, SAMPLES)), W, H)


def published(place):
    """For lengths the published solver: that of the package gives short ones a floor."""
    return {"solver": "mu"} if place.shares == "sample" else {}


def rise(run, point, *errors):
    """By how much the loss rises when the data get these errors, each a place and its size."""
    X = point.X.copy()
    for place, size in errors:
        X[place] += size
    loss = run.loss
    return loss.value(Point(X, point.W, point.H)) - loss.value(point)


def test_every_estimator_has_one_place_and_nothing_else_has():
    exported = [getattr(rnmf_tutorial, name) for name in rnmf_tutorial.__all__]
    models = [x for x in exported if inspect.isclass(x) and issubclass(x, BaseEstimator)]
    placed = [place.name for place in method_map.MODELS] + [method_map.CHOOSER]
    assert sorted(placed) == sorted(x.__name__ for x in models)
    for draw in (method_map.draw, method_map.draw_narrow):
        drawn = re.findall(r'data-model="(\w+)"', draw(str))
        assert sorted(drawn) == sorted(placed)


def test_the_keys_of_the_questions_below_the_map():
    at = {model.name: (model.cost, model.shares) for model in method_map.MODELS}
    assert (at["CauchyNMF"], at["CIMNMF"]) == (("logarithm", "entry"), ("ceiling", "entry"))
    assert (at["L21NMF"], at["CappedNMF"]) == (("size", "sample"), ("ceiling", "sample"))
    assert sum(shares == "nothing" for _, shares in at.values()) == 6


@by_model
def test_the_weight_is_shared_by_those_that_the_map_says(place):
    """The losses of two errors add up unless they share a weight."""
    if place.name == "LocalNMF":
        pytest.skip("its divergence is of the whole: sums of samples enter")
    run, point = begun(place.name, **published(place))
    row, last = 5 * SIDE + 5, SIDE**2 - 1
    others = {"neighbor": (row + 1, 2), "sample": (last, 2), "feature": (row, 4), "none": (last, 4)}
    shared = set()
    for name, other in others.items():
        apart = rise(run, point, ((row, 2), 0.3)) + rise(run, point, (other, 0.3))
        if abs(rise(run, point, ((row, 2), 0.3), (other, 0.3)) / apart - 1) > 1e-6:
            shared.add(name)
    with_it = {"sample": {"neighbor", "sample"}, "window": {"neighbor"}}
    expected = {"feature"} if place.more.startswith("feature") else with_it.get(place.shares, set())
    assert shared == expected


@by_model
def test_a_large_error_costs_what_the_map_says(place):
    """A hundredfold the error: ten thousandfold its square, a hundredfold its size, and so on.

    The last two are a logarithm, and a ceiling.
    """
    if place.more.startswith("KL"):
        pytest.skip("a divergence is between the size and the square")
    run, point = begun(place.name, **published(place))
    low, high = (rise(run, point, ((17, 2), size)) for size in (1e3, 1e5))
    ranges = (9_000, 11_000), (90, 110), (1.2, 2), (0.999, 1.02)
    least, most = dict(zip(method_map.COSTS, ranges, strict=True))[place.cost]
    assert least < high / low < most


KINDS = {
    "↓": ["Coordinate", "DivergenceCoordinate"],
    "×": ["Multiplicative", "ZhangUpdates", "ShenUpdates", "LocalUpdates", "RootUpdates"],
    "∇": ["NesterovUpdates", "WeightedNesterov", "SmoothedUpdates"],
    "○": ["SphereUpdates"],
}


@by_model
def test_the_steps_are_the_packages_the_default_first_and_so_is_what_is_added(place):
    parameters = inspect.signature(getattr(rnmf_tutorial, place.name)).parameters
    other = "nesterov" if place.name == "TruncatedCauchyNMF" else "mu"
    solvers = [{"solver": name} for name in ("cd", other) if "solver" in parameters]
    runs = [begun(place.name, **options)[0] for options in [{}, *solvers]]
    signs = {kind: sign for sign, kinds in KINDS.items() for kind in kinds}
    found = [signs[type(run.step).__name__] for run in runs]
    assert list(dict.fromkeys(found)) == list(place.steps)
    terms = {type(term).__name__ for term in runs[0].terms}
    assert ("graph" in place.more) == ("GraphPenalty" in terms)
    assert ("sparse basis" in place.more) == ("BasisSum" in terms)
    assert place.more.startswith("or KL") == ("divergence" in parameters or "loss" in parameters)
    assert place.more.startswith("or feature") == ("group" in parameters)


@by_model
def test_the_chapter_is_one_that_the_glossary_names(place):
    glossary = (ROOT / "book" / "methods.md").read_text(encoding="utf-8")
    entries = [x for x in glossary.split("\n\n") if f"`~rnmf_tutorial.{place.name}`" in x]
    assert any(f"{{doc}}`{place.page}`" in entry for entry in entries)


@pytest.mark.parametrize("draw", [method_map.draw, method_map.draw_narrow])
def test_it_is_svg_with_whole_addresses_and_no_name_runs_out_of_its_box(draw):
    svg = draw(lambda page: f"https://example.org/{page}.html")
    tree, ns = ElementTree.fromstring(svg), "{http://www.w3.org/2000/svg}"
    links = [a for a in tree.iter(f"{ns}a") if "data-model" in a.attrib]
    assert all(a.get("href").startswith("https://example.org/api/models/") for a in links)
    for a in links:
        frame, name = a.find(f"{ns}rect"), a.find(f"{ns}text")
        assert 7.6 * len(name.text) + 10 < float(frame.get("width"))
