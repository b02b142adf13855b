"""Lee and Seung (2001): two updates, and what their theorems say."""

from studies import Paper

from .grids import GRIDS, THEOREMS
from .verdicts import claims

PAPER = Paper(
    number=0,
    name="Lee and Seung",
    key="lee2001",
    chapter="nmf",
    box="lee",
    rows=(claims,),
    left_out={
        "§4, a good compromise between speed and ease": "no number says what is good",
        "§3, gradient descent can be slow; others are faster": (
            "about other methods, without a number"
        ),
    },
)

__all__ = ["GRIDS", "PAPER", "THEOREMS", "claims"]
