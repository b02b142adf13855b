"""Property tests draw the same examples in every run; no figure opens a window or stays open."""

import hypothesis
import matplotlib.pyplot as plt
import pytest

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")
plt.switch_backend("agg")


def pytest_configure(config):
    """Few sweeps are enough for most tests."""
    config.addinivalue_line(
        "filterwarnings", "ignore::sklearn.exceptions.ConvergenceWarning"
    )


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")
