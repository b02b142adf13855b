"""What the defaults do to clean and to spoiled data, beside the rules of the papers."""

from .grids import GRIDS, MODELS, beside_published, over_nmf
