"""Property tests draw the same examples in every run, and are never cut off by the clock."""

import hypothesis

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")
