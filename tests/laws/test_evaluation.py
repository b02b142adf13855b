"""Measures and protocols of evaluation against brute force, and what they refuse."""

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnmf_tutorial import evaluation as ev

labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30).map(
    lambda pairs: np.array(pairs).T
)
SUBJECTS = np.repeat([4, 7, 9], [5, 8, 6])[np.random.default_rng(0).permutation(19)]


# ------------------------------------------------------------------ what is refused

#: What each may be given for its first argument, the second being as it should; and the answer.
LABELS = [
    ([0], "inconsistent"),
    ([[0, 1]] * 2, "1d array"),
    ([0, np.nan], "{} has missing labels"),
    (np.array(["a", np.nan], dtype=object), "{} has missing labels"),
    ([0, np.inf], "{} contains infinity"),
    ([0, 1 + 1j], "[Cc]omplex"),
]
ERRORS = [
    (np.ones((3, 1)), np.ones((1, 3)), "same orientation"),  # broadcasting would hide it
    ([0.0, 0.0], [1.0, 1.0], "clean data are all zero"),
    (np.ones((0, 3)), np.ones((0, 3)), "nothing to measure"),
    ([np.nan, 1.0], [1.0, 1.0], "the clean data contains NaN"),
    ([1.0, 1.0], [np.nan, 1.0], "the reconstruction contains NaN"),
    ([1.0, 1.0], np.array([1 + 2j, 1.0]), "[Cc]omplex"),
]
BASES = [
    (np.ones(3), r"got shape \(3,\)"),
    (np.ones((0, 3)), "n_features, r"),
    (np.ones((2, 2, 2)), "n_features, r"),
    ([[1.0, np.nan]], "the basis contains NaN"),
    (np.array([[1.0, 1 + 2j]]), "[Cc]omplex"),
]
SPLITS = [
    (SUBJECTS, 0, 1, "at least 1"),
    (SUBJECTS, 1, 0, "at least 1"),
    (SUBJECTS, 5, 1, "Subject 4 has 5 samples"),
    ([7] * 6 + [9] * 3, 3, 1, r"Subject 9 has 3 .* n_train below 3\."),
    ([0, 0, 0, 1, 1, np.nan], 1, 1, "y has missing labels"),
]


def refused():
    """Yield calls without an answer, and what they say."""
    for measure in (ev.clustering_accuracy, ev.normalized_mutual_information):
        yield partial(measure, [], []), "no labels"
        for bad, message in LABELS:
            yield partial(measure, bad, [0, 1]), message.format("y_true")
            yield partial(measure, [0, 1], bad), message.format("y_pred")
    for *pair, message in ERRORS:
        yield partial(ev.relative_error, *pair), message
    for W, message in BASES:
        yield from ((partial(measure, W), message) for measure in (ev.sparseness, ev.collinearity))
    for y, n_train, n_splits, message in SPLITS:
        for draw in (ev.training_splits, partial(ev.repeated_one_nn, np.eye(len(y)))):
            yield partial(draw, y, n_train=n_train, n_splits=n_splits), message
    yield partial(ev.normalized_mutual_information, [0], [0], average="sum"), '"max" or "mean"'
    yield partial(ev.collinearity, np.zeros((3, 2))), "all zero"
    yield partial(ev.repeated_one_nn, np.eye(18), SUBJECTS, n_train=1, n_splits=5), "inconsistent"
    for project in (ev.project_lsi, ev.project_pca):
        yield partial(project, np.ones((12, 7)), 8), "between 1 and 7"
        yield partial(project, np.ones((7, 12)), 0), "between 1 and 7"
    fake = partial(FakeModel, ends=[1, np.nan])
    yield partial(ev.best_of, fake, np.ones((4, 3)), seeds=[]), "at least one seed"
    yield partial(ev.best_of, fake, np.ones((4, 3)), seeds=[0, 1]), "seed 1 ended .* objective nan"


def test_what_has_no_value_is_refused_by_name():
    for call, message in refused():
        with pytest.raises(ValueError, match=message):
            call()


# ------------------------------------------------------------------ measures


def accuracy_by_trying(y_true, y_pred):
    """Try every injective map between clusters and classes (smaller set into the larger)."""
    few, many = sorted((y_true, y_pred), key=lambda y: len(set(y)))
    names = sorted(set(few))
    maps = (dict(zip(names, image, strict=True)) for image in permutations(set(many), len(names)))
    return max(np.mean([to[a] == b for a, b in zip(few, many, strict=True)]) for to in maps)


def mutual_information(y_true, y_pred):
    """Equation (34) and the two entropies, in bits."""

    def entropy(y):
        return -sum(np.mean(y == c) * np.log2(np.mean(y == c)) for c in set(y))

    total = 0.0
    for c in set(y_true):
        for d in set(y_pred):
            if joint := np.mean((y_true == c) & (y_pred == d)):
                total += joint * np.log2(joint / (np.mean(y_true == c) * np.mean(y_pred == d)))
    return total, entropy(y_true), entropy(y_pred)


@settings(max_examples=50)
@given(labels, st.permutations(range(5)))
def test_accuracy_is_the_best_over_all_matchings_whatever_the_names(pair, names):
    y_true, y_pred = pair
    renamed = [f"cluster {names[c]}" for c in y_pred]
    assert ev.clustering_accuracy(y_true, renamed) == pytest.approx(accuracy_by_trying(*pair))


@settings(max_examples=50)
@given(labels, st.permutations(range(5)))
def test_nmi_is_equation_35_or_the_mean_variant_whatever_the_names(pair, names):
    y_true, y_pred = pair
    renamed = [f"cluster {names[c]}" for c in y_pred]
    information, h_true, h_pred = mutual_information(y_true, y_pred)
    for average, divisor in (("max", max(h_true, h_pred)), ("mean", (h_true + h_pred) / 2)):
        expected = information / divisor if divisor > 0 else 1.0
        found = ev.normalized_mutual_information(y_true, renamed, average=average)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert (
        ev.normalized_mutual_information(y_true, renamed) <= found + 1e-12
    )  # "max" is the default


def test_relative_error_is_equation_28_entry_by_entry_in_any_unit():
    rng = np.random.default_rng(0)
    clean, product = rng.random((7, 5)), rng.random((7, 5))
    squares = sum((clean[i, j] - product[i, j]) ** 2 for i in range(7) for j in range(5))
    size = sum(clean[i, j] ** 2 for i in range(7) for j in range(5))
    expected = pytest.approx(np.sqrt(squares / size), rel=1e-12)
    assert ev.relative_error(clean, product) == expected
    assert ev.relative_error(1e6 * clean.T, 1e6 * product.T) == expected


def test_sparseness_counts_entries_of_columns_of_unit_sum():
    rng = np.random.default_rng(1)
    W = rng.random((40, 6)) * (rng.random((40, 6)) < 0.5) * 10.0 ** rng.integers(-6, 1, (40, 6))
    W[:, 3] = 0
    count = 0
    for column in W.T:
        total = sum(abs(w) for w in column)
        count += sum(total == 0 or abs(w) / total < 1e-4 for w in column)
    assert 40 < count < 240
    for same in (W, -W, W * rng.uniform(1e-9, 1e6, 6)):
        assert ev.sparseness(same) == count / 240
    # An entry at the threshold is not below it, and a column has no unit however small it is.
    assert ev.sparseness([[1.0], [3.0]], threshold=0.25) == 0
    assert ev.sparseness([[1.0], [3.0]], threshold=np.nextafter(0.25, 1)) == 0.5
    assert ev.sparseness([[0.5e-9], [0.4e-5]]) == 0 < ev.sparseness([[0.5e-9], [0.6e-5]])


def test_collinearity_sums_the_pairs_of_columns():
    W = np.random.default_rng(2).random((9, 4))
    pairs = sum(W[:, i] @ W[:, j] for i in range(4) for j in range(4) if i != j)
    norms = sum(W[:, i] @ W[:, i] for i in range(4))
    assert ev.collinearity(1e6 * W) == pytest.approx(pairs / norms, rel=1e-12)
    assert ev.collinearity(np.ones((5, 4))) == pytest.approx(3, rel=1e-12)
    assert abs(ev.collinearity(np.linalg.qr(W)[0])) < 1e-14


# ------------------------------------------------------------------ protocols


@pytest.mark.parametrize("n_train", [1, 3, 4])
def test_each_split_trains_on_exactly_n_of_each_subject_and_a_seed_repeats_it(n_train):
    def draw(seed):
        return ev.training_splits(SUBJECTS, n_train=n_train, n_splits=10, random_state=seed)

    splits = draw(5)
    for train, test in splits:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(19))
        assert [np.sum(SUBJECTS[train] == subject) for subject in (4, 7, 9)] == [n_train] * 3
    first, again, other = (
        [tuple(train) for train, _ in part] for part in (splits, draw(5), draw(6))
    )
    assert len(set(first)) == 10 and first == again != other


def test_one_nn_equals_a_search_through_all_training_samples():
    F = np.random.default_rng(1).standard_normal((19, 4))
    options = {"n_train": 2, "n_splits": 12, "random_state": 3}
    accuracies = ev.repeated_one_nn(F, SUBJECTS, **options)
    for accuracy, (train, test) in zip(
        accuracies, ev.training_splits(SUBJECTS, **options), strict=True
    ):
        nearest = [min(train, key=lambda j, i=i: sum((F[i] - F[j]) ** 2)) for i in test]
        assert accuracy == np.mean(SUBJECTS[nearest] == SUBJECTS[test])
    assert len(set(accuracies)) > 1


def test_kmeans_finds_the_best_partition_there_is():
    F = np.random.default_rng(4).random((9, 2))

    def cost(sides):
        groups = [F[sides == side] for side in (0, 1)]
        return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)

    partitions = [np.array([(k >> i) & 1 for i in range(9)]) for k in range(1, 2**8)]
    found = ev.kmeans_clustering(F, 2, n_init=30, random_state=0)
    assert cost(found) == pytest.approx(min(map(cost, partitions)), rel=1e-12)
    assert np.array_equal(found, ev.kmeans_clustering(F, 2, n_init=30, random_state=0))


@pytest.mark.parametrize("shape", [(12, 7), (7, 12)])
@pytest.mark.parametrize("r", [1, 4, 7])
def test_projections_equal_the_singular_value_decomposition(shape, r):
    A = np.random.default_rng(5).random(shape)
    for project, data in ((ev.project_lsi, A), (ev.project_pca, A - A.mean(axis=0))):
        F, axes = project(A, r), np.linalg.svd(data, full_matrices=False)[2][:r]
        # Signs are arbitrary; products of the rows with each other are not.
        assert F.shape == (shape[0], r)
        np.testing.assert_allclose(F @ F.T, data @ axes.T @ axes @ data.T, rtol=0, atol=1e-12)
        assert np.array_equal(F, project(A, r))


class FakeModel:
    """Ends at the objective that its seed is mapped to, from a start that orders otherwise."""

    def __init__(self, random_state, ends):
        self.random_state, self.ends = random_state, ends

    def fit_transform(self, A):
        end = self.ends[self.random_state]
        self.objective_history_ = [-end, -end, -end, end]
        return np.full((len(A), 2), self.random_state)


@pytest.mark.parametrize(("ends", "winner"), [([3, 1, 2], 1), ([1, 2, 1], 0), ([2, 2, 1], 2)])
def test_best_of_takes_the_lowest_final_objective_and_its_own_coefficients(ends, winner):
    model, F = ev.best_of(partial(FakeModel, ends=ends), np.ones((4, 3)), seeds=range(3))
    assert model.random_state == winner
    assert F.shape == (4, 2) and set(F.ravel()) == {winner}
