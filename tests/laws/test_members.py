"""The protocols: nothing but their members is asked of a loss, a step, a penalty or a part."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from rnmf_tutorial import checks, core, losses
from rnmf_tutorial.core import Point, Run, encode
from rnmf_tutorial.losses import KULLBACK_LEIBLER, SQUARES, Loss
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.updates import Coordinate, DivergenceCoordinate, Multiplicative
from studies.blocks.windows import Windows
from tests import problems
from tests.problems import hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore")
A, Y = positive((11, 8), seed=0), np.arange(11) % 3
A[3, 4] = A[7, 1] = 4.0
B = np.where(hidden(A.shape, 0.3), np.nan, A)
W0, H0 = positive((8, 3), 1), positive((3, 11), 2)
#: What some models need of a φ, and what they say without it, is tested with the
#: estimators.
OPTIONAL = {"Curve": {"estimate", "multiple"}}


class Only:
    """What is inside, with the members of a protocol and no others."""

    def __init__(self, name, inside):
        protocol = getattr(core, name)
        self.allowed = {
            *vars(protocol),
            *protocol.__annotations__,
            *OPTIONAL.get(name, ()),
        }
        self.inside = inside

    def __getattr__(self, name):
        if name.startswith("__") or name in ("allowed", "inside"):
            raise AttributeError(name)
        if name not in self.allowed:
            raise AssertionError(
                f"{name} was asked of {self.inside}, and is in no protocol"
            )
        return getattr(self.inside, name)


class OnlyLoss(Only):
    """A loss that stays one when its scale is found."""

    def __init__(self, inside):
        super().__init__("Loss", inside)

    def rescaled(self, point):
        return OnlyLoss(self.inside.rescaled(point))


class OnlyStep(Only):
    """A step, which knows its own loss: that is between the two."""

    def __init__(self, inside):
        super().__init__("Step", inside)

    def __call__(self, point, loss):
        return self.inside(point, loss.inside)

    def coefficients(self, point, loss):
        return self.inside.coefficients(point, loss.inside)


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_the_loop_asks_nothing_but_the_members(model):
    model = problems.with_sizes(model).set_params(n_components=3, random_state=0)
    plain, bare = (
        clone(model).begin(B if model.takes_missing else A, Y) for _ in range(2)
    )
    bare.loss = OnlyLoss(bare.loss)
    bare.step = OnlyStep(bare.step)
    bare.penalties = [Only("Penalty", penalty) for penalty in bare.penalties]
    assert plain.sweep(max_iter=4).history == bare.sweep(max_iter=4).history
    np.testing.assert_array_equal(plain.point.W, bare.point.W)


PARTS = [
    (losses.Huber(), SQUARES, losses.ENTRIES, Coordinate),
    (losses.Cauchy(), SQUARES, Windows((4, 2), (3, 1)), Coordinate),
    (losses.Huber(), KULLBACK_LEIBLER, losses.ENTRIES, DivergenceCoordinate),
    (losses.Cauchy(), KULLBACK_LEIBLER, losses.ENTRIES, Multiplicative),
    (losses.Root(), SQUARES, losses.SAMPLES, Multiplicative),
    (losses.Cauchy(), KULLBACK_LEIBLER, losses.FEATURES, Multiplicative),
]


@pytest.mark.parametrize(("phi", "divergence", "group", "step"), PARTS)
def test_a_loss_and_the_steps_ask_nothing_else_of_its_parts(
    phi, divergence, group, step
):
    """With a mask, with an estimated scale where φ has one, and while encoding."""
    names = ("phi", "divergence", "group")
    protocols = ("Curve", "Divergence", "Group")
    mask = np.isnan(B.T)
    ends = []
    for wrapped in (lambda protocol, part: part, Only):
        parts = map(wrapped, protocols, (phi, divergence, group))
        parts = dict(zip(names, parts, strict=True))
        for estimated in (False, True)[: 1 + hasattr(phi, "estimate")]:
            loss = Loss(**parts, scale=0.3, estimated=estimated)
            run = Run(Point(np.where(mask, 0, A.T), W0, H0, mask), loss, step()).sweep(
                max_iter=4
            )
            update = partial(run.step.coefficients, loss=run.loss)
            ends.append(
                (*run.history, *encode(run.point, update, tol=0, max_iter=3).ravel())
            )
    half = len(ends) // 2
    np.testing.assert_allclose(ends[half:], ends[:half], rtol=1e-9)


# ----------------------------------------------------------------- classes of one's own


class Fair:
    """φ(u) = 2 (√u - ln(1 + √u)), with the members that every model needs, and no others."""

    power = 1

    def value(self, u, q):
        return 2 * (np.sqrt(u) - np.log1p(np.sqrt(u)))

    def slope(self, u, out=None):
        return 1 / (1 + np.sqrt(u))


def test_a_curve_of_ones_own_needs_two_methods_and_a_number():
    class FairNMF(EntrywiseNMF):
        phi = Fair()

    model = FairNMF(3, scale=0.2, max_iter=30, tol=0, random_state=0).fit(A)
    checks.decreases(model.objective_history_)
    assert model.weights_.min() < 0.5
    for scale, lacks in (
        ("published", r"scale='published' asks Fair for a method.*estimate\("),
        (None, "scale=None asks Fair for a `multiple` of the median"),
    ):
        with pytest.raises(ValueError, match=lacks):
            model.set_params(scale=scale).fit(A)
