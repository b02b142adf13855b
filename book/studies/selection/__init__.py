"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

from .dust import dust
from .grids import CANDIDATES, CHOICES, CORRUPTIONS, GRIDS, SETTING, default_names, regrets, tuned
from .pieces import DAMAGES, PIECES, chosen_in_pieces
from .ranks import low_rank, rank_curves
