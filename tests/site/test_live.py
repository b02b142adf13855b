"""The live figures compute what the package computes: in a real browser, iterate by iterate."""

import numpy as np
import pytest

import rnmf_tutorial
from figures import COLORS
from rnmf_tutorial.data import add_blocks, random_low_rank, toy_houses
from rnmf_tutorial.fitting import Work, iterate, last_state
from rnmf_tutorial.losses import Cauchy, Correntropy, Huber, WeightedLoss
from rnmf_tutorial.solvers import CoordinateDescent, Multiplicative, least_absolute
from rnmf_tutorial.starts import initialize
from studies.blocks.windows import GemanMcClure, Windows, median_sample, with_more_parts
from tests.project import ROOT
from tests.site.reading import served

FOLDER = ROOT / "book" / "_static" / "live"
pytestmark = pytest.mark.site

SCALE = 0.1
PARAMETERS = {"NMF": {}, "RobustNMF": {"lam": 2 * SCALE}}
MODELS = ("NMF", "RobustNMF", "HuberNMF", "CauchyNMF", "CIMNMF", "WindowNMF")
SWEEPS = (1, 2, 30)


def draw_houses(n=12):
    parts = toy_houses(1, random_state=0).parts
    return np.random.RandomState(0).uniform(0.1, 0.8, (n, 7)) @ parts


def problem(name):
    """X, r and the seed of a start point."""
    if name == "houses":  # zeros, and residuals on both sides of the scale
        return add_blocks(draw_houses(), (32, 32), 8, random_state=0)[0].T, 7, 3
    X, _, _ = random_low_rank(9, 13, 3, noise=0.05, random_state=1)
    X[4, 5] += 10
    X[:, 2] *= 30  # every weight of this sample is small
    X[7] = 0
    return X, 3, 5


@pytest.fixture(scope="module")
def page(browser):
    """A page that has read all scripts; it holds no figure."""
    page = browser.new_page()
    with served(FOLDER) as address:
        page.goto(f"{address}/live.css")
        for name in ("nmf", "live", "pull", "sweep", "workbench"):
            page.add_script_tag(url=f"{address}/{name}.js")
        yield page
    page.close()


RUN = """([name, scale, solver, rows, cols, X, r, seed, sweeps]) => {
    X = rnmf.matrix(rows, cols, Float64Array.from(X));
    const model = new rnmf.models[name](scale), found = [];
    let at = rnmf.begin(model, X, ...rnmf.initialize(X, r, seed));
    for (let k = 1; k <= Math.max(...sweeps); k++) {
        at = rnmf.advance(model, solver, X, at);
        if (sweeps.includes(k)) found.push([[...at.W.data], [...at.H.data], at.seen.objective]);
    }
    return found;
}"""


def in_the_browser(page, name, solver, X, r, seed):
    """W, H and the objective after some sweeps, as the page finds them."""
    job = [name, SCALE, solver, *X.shape, X.ravel().tolist(), r, seed, SWEEPS]
    found = page.evaluate(RUN, job)
    return [
        (np.reshape(W, (len(X), r)), np.reshape(H, (r, -1)), value)
        for W, H, value in found
    ]


def windows_of(X):
    """The loss of the workbench's windows: a sample is a square picture."""
    side = round(len(X) ** 0.5)
    return WeightedLoss(
        GemanMcClure(), group=Windows((side, side), (5, 5)), scale=SCALE
    )


def in_the_package(name, solver, X, r, seed):
    """The same, as the package finds them; its estimator has windows with one solver only."""
    if name == "WindowNMF":
        solver = {"cd": CoordinateDescent, "mu": Multiplicative}[solver]()
        W, H = initialize(X, r, random_state=seed)
        sweeps = iterate(Work(X), W, H, windows_of(X), solver, max_iter=SWEEPS[-1])
    else:
        options = {"solver": solver, "max_iter": SWEEPS[-1], "tol": 0}
        own = PARAMETERS.get(name, {"scale": SCALE})
        model = getattr(rnmf_tutorial, name)(r, random_state=seed, **options, **own)
        sweeps = model.sweeps(X.T)
    found = []
    for sweep in sweeps:
        if sweep.number in SWEEPS:
            # With the best error matrix, not with the one that the sweep has left.
            work = Work(X)
            objective = sweep.loss.total(
                work, sweep.loss.compare(work, sweep.W, sweep.H)
            )
            found.append((sweep.W, sweep.H, objective))
    return found


def distance(found, expected):
    """The largest relative difference of all that is compared."""
    return max(
        np.linalg.norm(np.subtract(a, b)) / np.linalg.norm(b)
        for one, other in zip(found, expected, strict=True)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("data", ["houses", "outliers"])
@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize("name", MODELS)
def test_the_iterates_are_the_packages(page, name, solver, data):
    task = name, solver, *problem(data)
    assert distance(in_the_browser(page, *task), in_the_package(*task)) <= 1e-9


class Uniform:
    """The workbench's numbers where the package draws normal ones."""

    def __init__(self, seed):
        self.draw = np.random.RandomState(seed).uniform

    def standard_normal(self, shape):
        return self.draw(size=shape) - 0.5


def test_the_start_of_windows_grows_as_the_packages(page):
    X, r, seed = problem("houses")
    run = """([scale, rows, cols, X, r, seed]) => {
        X = rnmf.matrix(rows, cols, Float64Array.from(X));
        const model = new rnmf.models.WindowNMF(scale), uniform = rnmf.randomState(seed);
        let at = rnmf.begin(model, X, ...model.start(X));
        while (at.W.cols < r) {
            for (let k = 0; k < 5; k++) at = rnmf.advance(model, "cd", X, at);
            at = rnmf.begin(model, X, ...model.grow(X, at, uniform));
        }
        return [[...at.W.data], [...at.H.data]];
    }"""
    found_W, found_H = page.evaluate(
        run, [SCALE, *X.shape, X.ravel().tolist(), r, seed]
    )
    work = Work(X)
    W, H = median_sample(X)
    loss = windows_of(X)
    rng = Uniform(seed)
    for rank in range(2, r + 1):
        end = last_state(iterate(work, W, H, loss, CoordinateDescent(), max_iter=5))
        W, H = with_more_parts(work, end.W, end.H, loss, rank, rng)
    np.testing.assert_allclose(found_W, W.ravel(), rtol=0, atol=1e-9 * W.max())
    np.testing.assert_allclose(found_H, H.ravel(), rtol=0, atol=1e-9 * H.max())


def test_the_houses_are_those_of_the_readme(page):
    found = page.evaluate(
        "() => { const X = rnmf.makeHouses(); return [[...X.data], X.cols]; }"
    )
    clean = draw_houses(found[1])
    np.testing.assert_allclose(np.reshape(found[0], (1024, -1)), clean.T, rtol=1e-14)


def test_a_method_keeps_its_color(page):
    colors = page.evaluate("live.COLORS")
    assert len(colors) == 7
    assert colors == {name: COLORS[name] for name in colors}


@pytest.mark.parametrize("height", [0.0, 4.1, 9.0])
@pytest.mark.parametrize("scale", [0.2, 0.6, 3.0])
def test_slopes_of_the_five_losses(page, height, scale):
    h = np.arange(1.0, 9)[:, None]
    x = np.array([0.7, 0.8, 1.9, 1.8, 2.7, 2.9, 3.7, height])[:, None]
    found = page.evaluate("([x, c]) => rnmf.slopes(x, c)", [x.ravel().tolist(), scale])
    squares = float((h.T @ x).item() / (h.T @ h).item())
    expected = [squares, least_absolute(x, h).item()]
    for phi in (Huber(), Cauchy(), Correntropy()):
        H = np.array([[squares]])
        loss = WeightedLoss(phi, scale=scale)
        work = Work(x)
        for _ in range(500):
            H = Multiplicative().update_H(work, loss, loss.compare(work, h, H))
        expected.append(H.item())
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("choice", "name"), list(enumerate(["NMF", "HuberNMF", "CauchyNMF"]))
)
def test_the_cells_of_a_sweep_make_the_sweep(page, choice, name):
    """Forty-two parts of cells are a sweep; the last of the second sweep is still to be taken."""
    steps = """(choice) => {
        const X = rnmf.matrix(3, 4, Float64Array.of(3, 2, 1, 2, 2, 0, 9, 2, 1, 2, 1, 0));
        const fit = new rnmf.Sweeps(X, choice);
        for (let k = 0; k < 2 * 42; k++) fit.step();
        return [fit.side, fit.part, [...fit.H.data], [...fit.next.data]];
    }"""
    side, part, H, W = page.evaluate(steps, choice)
    assert (side, part) == ("W", 18)
    X = np.array([[3.0, 2, 1, 2], [2, 0, 9, 2], [1, 2, 1, 0]])
    own = {} if name == "NMF" else {"scale": 0.3}
    options = {"solver": "mu", "max_iter": 2, "tol": 0, "random_state": 0}
    *_, end = getattr(rnmf_tutorial, name)(2, **options, **own).sweeps(X.T)
    np.testing.assert_allclose(W, end.W.ravel(), rtol=1e-12)
    np.testing.assert_allclose(H, end.H.ravel(), rtol=1e-12)


@pytest.mark.parametrize("name", ["RobustNMF", "HuberNMF"])
def test_the_workbench_shows_weights_of_the_data_and_errors_against_the_clean_houses(
    page, name
):
    """At the start point: a weight is small where the residual is large."""
    clean, (X, r, seed) = draw_houses().T, problem("houses")
    run = """([loss, scale, rank, seed, clean, seen]) => new Promise((first) =>
        makeBench(rnmf, first)({
            setting: { loss, scale, rank, seed, solver: "cd", house: 2 }, quiet: true,
            clean: Float64Array.from(clean), seen: Float64Array.from(seen),
        }))"""
    found = page.evaluate(
        run, [name, SCALE, r, seed, clean.ravel().tolist(), X.ravel().tolist()]
    )
    W, H = initialize(X, r, random_state=seed)
    errors = np.linalg.norm(W @ H - clean) / np.linalg.norm(clean)
    np.testing.assert_allclose(found["errors"], [errors, errors], rtol=1e-9)
    weights = np.minimum(1, SCALE / np.abs(X - W @ H))[:, 2]
    np.testing.assert_allclose(found["weights"], 255 * weights, atol=0.5001)
