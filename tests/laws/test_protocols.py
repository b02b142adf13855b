"""Splits, neighbors, k-means, projections and best of n runs, against independent routes."""

from functools import partial

import numpy as np
import pytest

from rnmf_tutorial.evaluation import (
    best_of,
    kmeans_clustering,
    project_lsi,
    project_pca,
    repeated_one_nn,
    training_splits,
)

SUBJECTS = np.repeat([4, 7, 9], [5, 8, 6])[np.random.default_rng(0).permutation(19)]


@pytest.mark.parametrize("n_train", [1, 3, 4])
def test_each_split_trains_on_exactly_n_of_each_subject_and_a_seed_repeats_it(n_train):
    def draw(seed):
        return training_splits(SUBJECTS, n_train=n_train, n_splits=10, random_state=seed)

    splits = draw(5)
    for train, test in splits:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(19))
        assert [np.sum(SUBJECTS[train] == subject) for subject in (4, 7, 9)] == [n_train] * 3
    first, again, other = (
        [tuple(train) for train, _ in part] for part in (splits, draw(5), draw(6))
    )
    assert len(set(first)) == 10 and first == again != other


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (SUBJECTS, {"n_train": 0, "n_splits": 1}, "at least 1"),
        (SUBJECTS, {"n_train": 1, "n_splits": 0}, "at least 1"),
        (SUBJECTS, {"n_train": 5, "n_splits": 1}, "Subject 4 has 5 samples"),
        ([7] * 6 + [9] * 3, {"n_train": 3, "n_splits": 1}, r"Subject 9 has 3 .* n_train below 3\."),
        ([0, 0, 0, 1, 1, np.nan], {"n_train": 1, "n_splits": 1}, "y has missing labels"),
        ([0, 0, 0, 1, 1, None], {"n_train": 1, "n_splits": 1}, "y has missing labels"),
    ],
)
def test_impossible_splits_are_refused(y, options, message):
    for draw in (training_splits, partial(repeated_one_nn, np.eye(len(y)))):
        with pytest.raises(ValueError, match=message):
            draw(y, **options)


def test_one_nn_equals_a_search_through_all_training_samples():
    F = np.random.default_rng(1).standard_normal((19, 4))
    options = {"n_train": 2, "n_splits": 12, "random_state": 3}
    accuracies = repeated_one_nn(F, SUBJECTS, **options)
    for accuracy, (train, test) in zip(
        accuracies, training_splits(SUBJECTS, **options), strict=True
    ):
        nearest = [min(train, key=lambda j, i=i: sum((F[i] - F[j]) ** 2)) for i in test]
        assert accuracy == np.mean(SUBJECTS[nearest] == SUBJECTS[test])
    assert len(set(accuracies)) > 1
    with pytest.raises(ValueError, match="inconsistent"):
        repeated_one_nn(F[:-1], SUBJECTS, n_train=1, n_splits=5)


def test_kmeans_finds_the_best_partition_there_is():
    F = np.random.default_rng(4).random((9, 2))

    def cost(sides):
        groups = [F[sides == side] for side in (0, 1)]
        return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)

    partitions = [np.array([(k >> i) & 1 for i in range(9)]) for k in range(1, 2**8)]
    found = kmeans_clustering(F, 2, n_init=30, random_state=0)
    assert cost(found) == pytest.approx(min(map(cost, partitions)), rel=1e-12)
    assert np.array_equal(found, kmeans_clustering(F, 2, n_init=30, random_state=0))


@pytest.mark.parametrize("shape", [(12, 7), (7, 12)])
@pytest.mark.parametrize("r", [1, 4, 7])
def test_projections_equal_the_singular_value_decomposition(shape, r):
    A = np.random.default_rng(5).random(shape)
    for project, data in ((project_lsi, A), (project_pca, A - A.mean(axis=0))):
        F, axes = project(A, r), np.linalg.svd(data, full_matrices=False)[2][:r]
        # Signs are arbitrary; products of the rows with each other are not.
        assert F.shape == (shape[0], r)
        np.testing.assert_allclose(F @ F.T, data @ axes.T @ axes @ data.T, rtol=0, atol=1e-12)
        assert np.array_equal(F, project(A, r))
        for rank in (0, 8):
            with pytest.raises(ValueError, match="between 1 and 7"):
                project(A, rank)


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
    model, F = best_of(partial(FakeModel, ends=ends), np.ones((4, 3)), seeds=range(3))
    assert model.random_state == winner
    assert F.shape == (4, 2) and set(F.ravel()) == {winner}


def test_best_of_needs_seeds_and_finite_objectives():
    with pytest.raises(ValueError, match="at least one seed"):
        best_of(partial(FakeModel, ends=[1]), np.ones((4, 3)), seeds=[])
    with pytest.raises(ValueError, match="seed 1 ended with the objective nan"):
        best_of(partial(FakeModel, ends=[1, np.nan]), np.ones((4, 3)), seeds=[0, 1])
