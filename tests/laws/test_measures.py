"""Measures against brute force, and what they refuse."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnmf_tutorial import measures

pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30
)
labels = pairs.map(lambda pairs: np.array(pairs).T)


# ------------------------------------------------------------------ what is refused

LABELS = [
    ([0], "inconsistent"),
    ([0, np.nan], "{} has missing labels"),
    (np.array(["a", np.nan], dtype=object), "{} has missing labels"),
    ([0, np.inf], "{} contains infinity"),
    (np.ma.masked_equal([0, 1], 1), "{} hides 1 entries behind a mask"),
]
OTHERS = [
    # broadcasting would hide it
    (measures.relative_error, (np.ones((3, 1)), np.ones((1, 3))), "same orientation"),
    (measures.relative_error, ([0.0, 0.0], [1.0, 1.0]), "clean data are all zero"),
    (measures.relative_error, (np.ones((0, 3)), np.ones((0, 3))), "0 sample"),
    (
        measures.relative_error,
        ([np.nan, 1.0], [1.0, 1.0]),
        "the clean data contains NaN",
    ),
    (
        measures.relative_error,
        ([1.0, 1.0], [np.nan, 1.0]),
        "the reconstruction contains NaN",
    ),
    (
        measures.relative_error,
        (np.ma.masked_equal([1, 9], 9), [1, 1]),
        "the clean data hides 1",
    ),
    (measures.sparseness, (np.ones(3),), "Expected 2D"),
    (measures.collinearity, (np.ones((0, 3)),), "0 sample"),
    (measures.sparseness, ([[1.0, np.nan]],), "the basis contains NaN"),
    (measures.collinearity, (np.zeros((3, 2)),), "all zero"),
    (measures.normalized_mutual_information, ([0], [0], "sum"), '"max" or "mean"'),
]


def test_what_has_no_value_is_refused_by_name():
    refused = [*OTHERS]
    for measure in (
        measures.clustering_accuracy,
        measures.normalized_mutual_information,
    ):
        refused.append((measure, ([], []), "no labels"))
        for bad, message in LABELS:
            refused.append((measure, (bad, [0, 1]), message.format("y_true")))
            refused.append((measure, ([0, 1], bad), message.format("y_pred")))
    for measure, asked, message in refused:
        with pytest.raises(ValueError, match=message):
            measure(*asked)


# ------------------------------------------------------------------ what is measured


def accuracy_by_trying(y_true, y_pred):
    """Try every injective map between clusters and classes (smaller set into the larger)."""
    few, many = sorted((y_true, y_pred), key=lambda y: len(set(y)))
    names = sorted(set(few))
    maps = (
        dict(zip(names, image, strict=True))
        for image in permutations(set(many), len(names))
    )
    return max(
        np.mean([to[a] == b for a, b in zip(few, many, strict=True)]) for to in maps
    )


def mutual_information(y_true, y_pred):
    """Equation (34) and the two entropies, in bits."""

    def entropy(y):
        return -sum(np.mean(y == c) * np.log2(np.mean(y == c)) for c in set(y))

    total = 0.0
    for c in set(y_true):
        for d in set(y_pred):
            if joint := np.mean((y_true == c) & (y_pred == d)):
                total += joint * np.log2(
                    joint / (np.mean(y_true == c) * np.mean(y_pred == d))
                )
    return total, entropy(y_true), entropy(y_pred)


@settings(max_examples=50)
@given(labels, st.permutations(range(5)))
def test_accuracy_is_the_best_matching_and_nmi_equation_35_whatever_the_names(
    pair, names
):
    y_true, y_pred = pair
    renamed = [f"cluster {names[c]}" for c in y_pred]
    assert measures.clustering_accuracy(y_true, renamed) == pytest.approx(
        accuracy_by_trying(*pair)
    )
    information, h_true, h_pred = mutual_information(y_true, y_pred)
    for average, divisor in (
        ("max", max(h_true, h_pred)),
        ("mean", (h_true + h_pred) / 2),
    ):
        expected = information / divisor if divisor > 0 else 1.0
        found = measures.normalized_mutual_information(y_true, renamed, average=average)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)
    by_default = measures.normalized_mutual_information(y_true, renamed)
    assert by_default <= found + 1e-12  # "max"


def test_relative_error_is_equation_28_entry_by_entry_in_any_unit():
    rng = np.random.default_rng(0)
    clean = rng.random((7, 5))
    product = rng.random((7, 5))
    clean[2, 3] = 0
    squares = sum(
        (clean[i, j] - product[i, j]) ** 2 for i in range(7) for j in range(5)
    )
    size = sum(clean[i, j] ** 2 for i in range(7) for j in range(5))
    expected = pytest.approx(np.sqrt(squares / size), rel=1e-12)
    assert measures.relative_error(clean, product) == expected
    for unit in (1e6, 1e-200, 1e200, -1e200):
        assert measures.relative_error(unit * clean.T, unit * product.T) == expected


def test_sparseness_counts_entries_of_columns_of_unit_sum():
    rng = np.random.default_rng(1)
    W = (
        rng.random((40, 6))
        * (rng.random((40, 6)) < 0.5)
        * 10.0 ** rng.integers(-6, 1, (40, 6))
    )
    W[:, 3] = 0
    count = 0
    for column in W.T:
        total = sum(abs(w) for w in column)
        count += sum(total == 0 or abs(w) / total < 1e-4 for w in column)
    assert 40 < count < 240
    for same in (W, -W, W * rng.uniform(1e-9, 1e6, 6)):
        assert measures.sparseness(same) == count / 240
    # An entry at the threshold is not below it, and a column has no unit however small
    # it is.
    assert measures.sparseness([[1.0], [3.0]], threshold=0.25) == 0
    assert measures.sparseness([[1.0], [3.0]], threshold=np.nextafter(0.25, 1)) == 0.5
    assert measures.sparseness([[0.5e-9], [0.4e-5]]) == 0
    assert measures.sparseness([[0.5e-9], [0.6e-5]]) > 0


def test_collinearity_sums_the_pairs_of_columns():
    W = np.random.default_rng(2).random((9, 4))
    pairs = sum(W[:, i] @ W[:, j] for i in range(4) for j in range(4) if i != j)
    norms = sum(W[:, i] @ W[:, i] for i in range(4))
    assert measures.collinearity(1e6 * W) == pytest.approx(pairs / norms, rel=1e-12)
    assert measures.collinearity(np.ones((5, 4))) == pytest.approx(3, rel=1e-12)
    assert abs(measures.collinearity(np.linalg.qr(W)[0])) < 1e-14
