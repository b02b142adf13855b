"""Lee and Seung (2001): two updates, and what their theorems say."""

from studies import Paper
from studies.machinery.words import without_rows

from .grids import GRIDS, THEOREMS
from .verdicts import claims

PAPER = Paper(
    number=0,
    name="Lee and Seung",
    key="lee2001",
    chapter="nmf",
    box="lee",
    rows=(claims,),
    **without_rows(__file__),
)
