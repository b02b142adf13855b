"""The measures against brute force and against the papers' formulas written out."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnmf_tutorial.evaluation import (
    clustering_accuracy,
    collinearity,
    normalized_mutual_information,
    relative_error,
    sparseness,
)

labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30).map(
    lambda pairs: np.array(pairs).T
)


def accuracy_by_trying(y_true, y_pred):
    """Try every injective map between clusters and classes (smaller set into the larger)."""
    few, many = sorted((y_true, y_pred), key=lambda y: len(set(y)))
    names = sorted(set(few))
    return max(
        np.mean(
            [dict(zip(names, image, strict=True))[a] == b for a, b in zip(few, many, strict=True)]
        )
        for image in permutations(sorted(set(many)), len(names))
    )


def mutual_information(y_true, y_pred):
    """Equation (34) and the two entropies, in bits."""
    p = np.mean

    def entropy(y):
        return -sum(p(y == c) * np.log2(p(y == c)) for c in set(y))

    total = 0.0
    for c in set(y_true):
        for d in set(y_pred):
            joint = p((y_true == c) & (y_pred == d))
            if joint > 0:
                total += joint * np.log2(joint / (p(y_true == c) * p(y_pred == d)))
    return total, entropy(y_true), entropy(y_pred)


@given(labels)
@settings(deadline=None)
def test_accuracy_is_the_best_over_all_matchings(pair):
    y_true, y_pred = pair
    assert clustering_accuracy(y_true, y_pred) == pytest.approx(
        accuracy_by_trying(y_true, y_pred), rel=1e-12
    )


@given(labels)
@settings(deadline=None)
def test_nmi_is_equation_35_or_the_mean_variant(pair):
    y_true, y_pred = pair
    information, h_true, h_pred = mutual_information(y_true, y_pred)
    for average, divisor in (("max", max(h_true, h_pred)), ("mean", (h_true + h_pred) / 2)):
        ours = normalized_mutual_information(y_true, y_pred, average=average)
        expected = information / divisor if divisor > 0 else 1.0
        assert ours == pytest.approx(expected, rel=1e-10, abs=1e-12)


@given(labels, st.permutations(range(5)))
@settings(deadline=None)
@pytest.mark.slow
def test_names_of_clusters_do_not_matter(pair, names):
    y_true, y_pred = pair
    renamed = np.array([f"cluster {names[c]}" for c in y_pred])
    assert clustering_accuracy(y_true, renamed) == clustering_accuracy(y_true, y_pred)
    for average in ("max", "mean"):
        assert normalized_mutual_information(y_true, renamed, average) == pytest.approx(
            normalized_mutual_information(y_true, y_pred, average), rel=1e-10, abs=1e-12
        )


def test_a_matching_is_one_to_one_not_a_majority_vote():
    # Both clusters are mostly class 0: a vote would count 4 of 6, a matching only 3.
    assert clustering_accuracy([0, 0, 0, 0, 1, 2], [0, 0, 1, 1, 0, 1]) == 0.5


@pytest.mark.parametrize(
    ("y_true", "y_pred", "accuracy", "nmi"),
    [
        ([0, 1, 2, 2], ["b", "c", "a", "a"], 1.0, 1.0),
        ([0, 0, 1, 1], [7, 7, 7, 7], 0.5, 0.0),
        ([0, 0, 0, 0], [0, 1, 2, 3], 0.25, 0.0),
        ([0, 0, 1, 1], [0, 1, 2, 3], 0.5, 0.5),
        ([3, 3], [9, 9], 1.0, 1.0),
        ([0], [0], 1.0, 1.0),
    ],
)
def test_clusterings_whose_scores_are_known(y_true, y_pred, accuracy, nmi):
    assert clustering_accuracy(y_true, y_pred) == accuracy
    assert normalized_mutual_information(y_true, y_pred) == pytest.approx(nmi, abs=1e-12)


@pytest.mark.parametrize("measure", [clustering_accuracy, normalized_mutual_information])
@pytest.mark.parametrize(("y_true", "y_pred"), [([], []), ([0, 1], [0]), ([[0, 1]] * 2, [0, 1])])
def test_labels_that_cannot_be_compared(measure, y_true, y_pred):
    with pytest.raises(ValueError):
        measure(y_true, y_pred)


@pytest.mark.parametrize("measure", [clustering_accuracy, normalized_mutual_information])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 0], "inconsistent numbers of samples: "),
        ([0, None], " has missing labels"),
        ([0, np.inf], " contains infinity"),
    ],
)
def test_the_error_names_the_labels(measure, labels, message):
    with pytest.raises(ValueError, match=("" if "inc" in message else "y_true") + message):
        measure(labels, [0, 1])
    with pytest.raises(ValueError, match=("" if "inc" in message else "y_pred") + message):
        measure([0, 1], labels)
    with pytest.raises(ValueError, match="There are no labels to compare; give at least one"):
        measure([], [])


def test_the_error_names_the_matrix():
    bad, good = [np.nan, 1.0], [1.0, 1.0]
    with pytest.raises(ValueError, match="the clean data contains NaN"):
        relative_error(bad, good)
    with pytest.raises(ValueError, match="the reconstruction contains NaN"):
        relative_error(good, bad)
    with pytest.raises(ValueError, match="The clean data are all zero, so an error relative to"):
        relative_error([0.0, 0.0], good)
    assert relative_error(good, [1.0, 2.0]) == pytest.approx(np.sqrt(0.5), rel=1e-15)


def test_unknown_average():
    with pytest.raises(ValueError, match='"max" or "mean"'):
        normalized_mutual_information([0], [0], average="geometric")


def test_relative_error_is_equation_28_entry_by_entry():
    rng = np.random.default_rng(0)
    clean, product = rng.random((7, 5)), rng.random((7, 5))
    squares = sum((clean[i, j] - product[i, j]) ** 2 for i in range(7) for j in range(5))
    size = sum(clean[i, j] ** 2 for i in range(7) for j in range(5))
    assert relative_error(clean, product) == pytest.approx(np.sqrt(squares / size), rel=1e-12)
    assert relative_error(1e6 * clean.T, 1e6 * product.T) == pytest.approx(
        relative_error(clean, product), rel=1e-12
    )
    assert relative_error(clean, clean) == 0
    assert relative_error(clean, 0 * clean) == 1


def test_relative_error_refuses_what_broadcasting_would_hide():
    with pytest.raises(ValueError, match="same orientation"):
        relative_error(np.ones((3, 1)), np.ones((1, 3)))
    with pytest.raises(ValueError, match="all zero"):
        relative_error(np.zeros((2, 2)), np.ones((2, 2)))


def test_sparseness_counts_entries_of_columns_of_unit_sum():
    rng = np.random.default_rng(1)
    W = rng.random((40, 6)) * (rng.random((40, 6)) < 0.5) * 10.0 ** rng.integers(-6, 1, (40, 6))
    W[:, 3] = 0
    count = 0
    for column in W.T:
        total = sum(abs(w) for w in column)
        count += sum(total == 0 or abs(w) / total < 1e-4 for w in column)
    assert 40 < count < 240
    assert sparseness(W) == count / 240
    assert sparseness(W * rng.uniform(1e-6, 1e6, 6)) == count / 240
    assert sparseness(-W) == count / 240
    assert sparseness(W, threshold=2.0) == 1
    assert sparseness(np.ones((4, 2))) == 0


def test_collinearity_sums_the_pairs_of_columns():
    W = np.random.default_rng(2).random((9, 4))
    pairs = sum(W[:, i] @ W[:, j] for i in range(4) for j in range(4) if i != j)
    norms = sum(W[:, i] @ W[:, i] for i in range(4))
    assert collinearity(W) == pytest.approx(pairs / norms, rel=1e-12)
    assert collinearity(1e6 * W) == pytest.approx(collinearity(W), rel=1e-12)
    orthogonal = np.linalg.qr(np.random.default_rng(3).standard_normal((9, 4)))[0]
    assert abs(collinearity(orthogonal)) < 1e-14
    assert collinearity(np.ones((5, 4))) == pytest.approx(3, rel=1e-12)


@pytest.mark.parametrize("measure", [sparseness, collinearity])
@pytest.mark.parametrize("W", [np.ones(3), np.ones((0, 3)), np.ones((2, 2, 2))])
def test_a_basis_is_a_matrix(measure, W):
    with pytest.raises(ValueError, match="n_features, r"):
        measure(W)


def test_collinearity_of_an_empty_basis():
    with pytest.raises(ValueError, match="all zero"):
        collinearity(np.zeros((3, 2)))


def spoiled(value):
    """Ones with one other entry, which may be no real number."""
    A = np.ones((3, 2), dtype=np.result_type(type(value), float))
    A[1, 1] = value
    return A


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1 + 2j])
@pytest.mark.parametrize(
    "measure",
    [
        sparseness,
        collinearity,
        lambda A: relative_error(A, np.ones((3, 2))),
        lambda A: relative_error(np.ones((3, 2)), A),
    ],
)
def test_what_is_no_number_has_no_measure(measure, value):
    with pytest.raises(ValueError, match=r"NaN|infinity|[Cc]omplex"):
        measure(spoiled(value))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_nothing_has_no_error(shape):
    with pytest.raises(ValueError, match="nothing to measure"):
        relative_error(np.ones(shape), np.ones(shape))


@pytest.mark.parametrize("measure", [clustering_accuracy, normalized_mutual_information])
@pytest.mark.parametrize(
    "labels",
    [
        [0, np.nan],
        [0, np.inf],
        [0, 1 + 1j],
        np.array([0, None], dtype=object),
        np.array(["a", np.nan], dtype=object),
    ],
)
def test_a_missing_label_is_no_class(measure, labels):
    for pair in [(labels, [0, 1]), ([0, 1], labels)]:
        with pytest.raises(ValueError, match=r"missing labels|infinity|[Cc]omplex"):
            measure(*pair)


def test_an_entry_at_the_threshold_is_not_below_it():
    assert sparseness([[1.0], [3.0]], threshold=0.25) == 0
    assert sparseness([[1.0], [3.0]], threshold=np.nextafter(0.25, 1)) == 0.5


def test_the_scale_of_a_column_does_not_matter_however_small_it_is():
    assert sparseness([[0.5e-4], [0.4]]) == 0
    assert sparseness([[0.5e-4], [0.6]]) == 0.5
    assert sparseness([[0.5e-9], [0.4e-5]]) == 0


@pytest.mark.parametrize("measure", [sparseness, collinearity])
def test_the_error_names_the_basis(measure):
    with pytest.raises(ValueError, match=r"got shape \(3,\)"):
        measure(np.ones(3))
    with pytest.raises(ValueError, match="the basis contains NaN"):
        measure([[1.0, np.nan]])


def test_pixels_of_any_type_are_compared_as_numbers():
    """Bytes would wrap around, and truth values have no difference."""
    rng = np.random.default_rng(4)
    clean, other = rng.integers(0, 256, (2, 4, 3, 5), dtype=np.uint8)
    expected = relative_error(
        clean.astype(float).reshape(4, 15), other.astype(float).reshape(4, 15)
    )
    assert relative_error(clean, other) == expected
    assert relative_error([True, True, True, True], [True, False, True, True]) == 0.5
