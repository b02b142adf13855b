"""Each estimator computes and says what is stored of it; ``tests/snapshot.py`` says how to update.

The stored numbers are those of one version of the package. They are not the right ones
by themselves: other tests prove what is right, and these ones notice what changes.
"""

import pytest

import rnmf_tutorial as rt
from tests import snapshot


def same_as_stored(group, name, record):
    """Fail with each field that has changed, its stored and its new value."""
    sentences = snapshot.differences(snapshot.load()[group][name], record)
    hint = "If this is meant: python -m tests.snapshot --update"
    assert not sentences, "\n".join([f"{name} has changed:", *sentences, hint])


@pytest.mark.parametrize("name", snapshot.MODELS)
def test_a_fit_is_the_stored_one(name):
    record = snapshot.record_of(name, snapshot.load()["models"][name])
    same_as_stored("models", name, record)


@pytest.mark.parametrize("name", snapshot.AWKWARD_MODELS)
def test_what_is_said_to_awkward_data_is_what_is_stored(name):
    same_as_stored("awkward", name, snapshot.awkward_record(name))


@pytest.mark.parametrize("name", snapshot.OTHERS)
def test_signatures_papers_and_searches_are_the_stored_ones(name):
    same_as_stored("others", name, snapshot.OTHERS[name]())


def test_each_public_estimator_is_there():
    public = {
        name for name in rt.__all__ if hasattr(getattr(rt, name), "fit_transform")
    }
    assert {type(model).__name__ for model in snapshot.MODELS.values()} == public - {
        "MaskedSearchCV"
    }
    assert list(snapshot.load()["models"]) == list(snapshot.MODELS)
    assert list(snapshot.load()["awkward"]) == list(snapshot.AWKWARD_MODELS)


def test_a_change_is_told_with_its_field_and_both_values():
    stored = {
        "complete": {"history": [2.0, 1e-3], "said": ["a scale of 0.12, of 3 entries"]}
    }
    near = {
        "complete": {"history": [2.0, 1e-3], "said": ["a scale of 0.121, of 3 entries"]}
    }
    far = {
        "complete": {
            "history": [2.0, 1.000001e-3],
            "said": ["a scale of 0.12, of 4 entries"],
        }
    }
    assert snapshot.differences(stored, near) == []
    history, said = snapshot.differences(stored, far)
    assert (
        history
        == "complete, history\n    stored: [2.0, 0.001]\n    now:    [2.0, 0.001000001]"
    )
    assert said.startswith("complete, said\n    stored: ['a scale of 0.12, of 3")
