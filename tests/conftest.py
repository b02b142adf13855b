"""Property tests draw the same examples in every run; no figure opens a window or stays open."""

import hypothesis
import matplotlib.pyplot as plt
import pytest

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")
plt.switch_backend("agg")


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")
