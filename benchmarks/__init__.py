"""Speed, next to scikit-learn and nimfa."""

import sys
from pathlib import Path

# The runner of grids is the book's.
sys.path.append(str(Path(__file__).resolve().parent.parent / "book"))
