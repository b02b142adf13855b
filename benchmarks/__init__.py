"""Speed, next to scikit-learn and to the matrix products that no sweep can do without."""

import sys
from pathlib import Path

# The runner of grids is the book's.
sys.path.append(str(Path(__file__).resolve().parent.parent / "book"))
