"""Nothing but their members is asked of a loss, a solver, a penalty, or a part of a loss."""

import numpy as np
import pytest

from rnmf_tutorial import checks, fitting, losses
from rnmf_tutorial.fitting import encode, iterate
from rnmf_tutorial.losses import KULLBACK_LEIBLER, SQUARES, WeightedLoss, work_for
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.solvers import (
    CoordinateDescent,
    KullbackLeiblerDescent,
    Multiplicative,
)
from studies.blocks.windows import Windows
from tests import problems
from tests.problems import hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore")
A, Y = positive((11, 8), seed=0), np.arange(11) % 3
A[3, 4] = A[7, 1] = 4.0
B = np.where(hidden(A.shape, 0.3), np.nan, A)
W0, H0 = positive((8, 3), 1), positive((3, 11), 2)


def members(kind):
    """Return the names of what a base class or a protocol has."""
    return {*vars(kind), *kind.__annotations__}


#: What may be asked of each. A test of the estimators says what happens if a φ lacks
#: `estimate` or `multiple`, which are optional.
MEMBERS = {
    "loss": members(fitting.Loss),
    "solver": members(fitting.Solver),
    "penalty": {"value"},
    "phi": members(losses.Curve) | {"estimate", "multiple"},
    "divergence": members(losses.Divergence),
    "group": members(losses.Group),
}


class Only:
    """An object with the members that may be asked of it, and no others."""

    def __init__(self, role, inside):
        self.allowed = MEMBERS[role]
        self.inside = inside

    def __getattr__(self, name):
        if name.startswith("__") or name in ("allowed", "inside"):
            raise AttributeError(name)
        if name not in self.allowed:
            raise AssertionError(
                f"{name} was asked of {self.inside}, and is none of its members"
            )
        return getattr(self.inside, name)


class OnlyLoss(Only):
    """A loss that stays one when its scale is estimated."""

    def __init__(self, inside):
        super().__init__("loss", inside)

    def rescaled(self, *given):
        loss, comparison = self.inside.rescaled(*given)
        return OnlyLoss(loss), comparison


class OnlySolver(Only):
    """A solver. It may know more of its own loss: that is between the two."""

    def __init__(self, inside):
        super().__init__("solver", inside)

    def update(self, work, loss, comparison, memory):
        return self.inside.update(work, loss.inside, comparison, memory)


def plainly(role, part):
    """Return a part as it is."""
    return part


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_the_loop_asks_nothing_but_the_members(model):
    model = problems.with_sizes(model).set_params(n_components=3, random_state=0)
    data = B if model.takes_missing else A
    model.set_params(max_iter=4, tol=0)
    expected = problems.states_of(model, data, Y)
    problem, _ = model._prepare(data, Y)
    found = list(
        iterate(
            problem.work,
            problem.W,
            problem.H,
            OnlyLoss(problem.loss),
            OnlySolver(problem.solver),
            [Only("penalty", penalty) for penalty in problem.penalties],
            last_update=problem.last_update,
            max_iter=4,
        )
    )
    assert len(found) == 5
    for state, other in zip(found, expected, strict=True):
        assert state.objective == other.objective
        np.testing.assert_array_equal(state.W, other.W)
        np.testing.assert_array_equal(state.H, other.H)


PARTS = [
    (losses.Huber(), SQUARES, losses.ENTRIES, CoordinateDescent),
    (losses.Cauchy(), SQUARES, Windows((4, 2), (3, 1)), CoordinateDescent),
    (losses.Huber(), KULLBACK_LEIBLER, losses.ENTRIES, KullbackLeiblerDescent),
    (losses.Cauchy(), KULLBACK_LEIBLER, losses.ENTRIES, Multiplicative),
    (losses.Root(), SQUARES, losses.SAMPLES, Multiplicative),
    (losses.Cauchy(), KULLBACK_LEIBLER, losses.FEATURES, Multiplicative),
]


@pytest.mark.parametrize(("phi", "divergence", "group", "kind"), PARTS)
def test_a_loss_and_the_solvers_ask_nothing_else_of_its_parts(
    phi, divergence, group, kind
):
    """With missing entries, with an estimated scale where φ has one, and while encoding."""
    solver = kind()
    ends = []
    for given in (plainly, Only):
        parts = {
            "phi": given("phi", phi),
            "divergence": given("divergence", divergence),
            "group": given("group", group),
        }
        for reestimated in (False, True)[: 1 + hasattr(phi, "estimate")]:
            loss = WeightedLoss(**parts, scale=0.3, reestimated=reestimated)
            work = work_for(B.T)
            states = list(iterate(work, W0, H0, loss, solver, max_iter=4))
            end = states[-1]

            def update_H(work, W, H, loss=end.loss):
                return solver.update_H(work, loss, loss.compare(work, W, H))

            codes = encode(work, end.W, end.H, update_H, tol=0, max_iter=3)
            ends.append([*(state.objective for state in states), *codes.ravel()])
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
