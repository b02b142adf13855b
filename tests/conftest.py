"""Property tests draw the same examples in every run, and are never cut off by the clock."""

import os

import hypothesis

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
# Of a mutant only whether it fails is asked, not its simplest failure nor how fast data are drawn.
hypothesis.settings.register_profile(
    "mutants",
    hypothesis.settings.get_profile("repeatable"),
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
