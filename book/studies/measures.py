"""The module of this name in `machinery`, under the name that pages import."""

from studies.machinery.measures import *  # noqa: F403
