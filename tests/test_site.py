"""Names that stand in tests/site now, for the tests that still take them from here."""

from tests.site.conftest import browser  # noqa: F401
from tests.site.reading import PAGES, ROOT, SITE, QuietHandler  # noqa: F401
