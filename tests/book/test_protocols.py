"""Protocols of the papers' experiments against brute force, and what they refuse."""

import numpy as np
import pytest

from studies.machinery import protocols

SUBJECTS = np.repeat([4, 7, 9], [5, 8, 6])[np.random.default_rng(0).permutation(19)]


def test_what_has_no_value_is_refused_by_name():
    for y, n_train, n_splits, message in (
        (SUBJECTS, 0, 1, "at least 1"),
        (SUBJECTS, 1, 0, "at least 1"),
        ([7] * 6 + [9] * 3, 3, 1, r"Subject 9 has 3 .* n_train below 3\."),
        ([0, 0, 0, 1, 1, np.nan], 1, 1, "y has missing labels"),
    ):
        with pytest.raises(ValueError, match=message):
            protocols.repeated_one_nn(
                np.eye(len(y)), y, n_train=n_train, n_splits=n_splits
            )
    for project, r in ((protocols.project_lsi, 8), (protocols.project_pca, 0)):
        with pytest.raises(ValueError, match="between 1 and 7"):
            project(np.ones((12, 7)), r)


@pytest.mark.parametrize("n_train", [1, 3, 4])
def test_each_split_trains_on_exactly_n_of_each_subject_and_a_seed_repeats_it(n_train):
    def draw(seed):
        return protocols.training_splits(
            SUBJECTS, n_train=n_train, n_splits=10, random_state=seed
        )

    splits = draw(5)
    for train, test in splits:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(19))
        assert [np.sum(SUBJECTS[train] == subject) for subject in (4, 7, 9)] == [
            n_train
        ] * 3
    draws = splits, draw(5), draw(6)
    first, again, other = ([tuple(train) for train, _ in part] for part in draws)
    assert len(set(first)) == 10 and first == again != other


def test_one_nn_equals_a_search_through_all_training_samples():
    F = np.random.default_rng(1).standard_normal((19, 4))
    options = {"n_train": 2, "n_splits": 12, "random_state": 3}
    accuracies = protocols.repeated_one_nn(F, SUBJECTS, **options)
    splits = protocols.training_splits(SUBJECTS, **options)
    for accuracy, (train, test) in zip(accuracies, splits, strict=True):
        nearest = [min(train, key=lambda j, i=i: sum((F[i] - F[j]) ** 2)) for i in test]
        assert accuracy == np.mean(SUBJECTS[nearest] == SUBJECTS[test])
    assert len(set(accuracies)) > 1


@pytest.mark.parametrize("shape", [(12, 7), (7, 12)])
@pytest.mark.parametrize("r", [1, 4, 7])
def test_projections_equal_the_singular_value_decomposition(shape, r):
    A = np.random.default_rng(5).random(shape)
    for project, data in (
        (protocols.project_lsi, A),
        (protocols.project_pca, A - A.mean(axis=0)),
    ):
        F = project(A, r)
        axes = np.linalg.svd(data, full_matrices=False)[2][:r]
        # Signs are arbitrary; products of the rows with each other are not.
        assert F.shape == (shape[0], r)
        np.testing.assert_allclose(
            F @ F.T, data @ axes.T @ axes @ data.T, rtol=0, atol=1e-12
        )
        assert np.array_equal(F, project(A, r))
