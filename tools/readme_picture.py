"""Draw the picture of README.md: toy houses behind white blocks, and what two methods make of them.

    python tools/readme_picture.py

A house is a sum of seven parts, each with a brightness of its own. Every picture gets a white
block at a random place.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rnmf_tutorial import NMF, RobustNMF
from rnmf_tutorial.data import add_blocks
from rnmf_tutorial.display import face_grid
from rnmf_tutorial.evaluation import relative_error

FILE = Path(__file__).resolve().parent.parent / ".github" / "houses.png"
SIDE, N_HOUSES = 32, 300


def parts():
    """Return wall, roof, door, window, chimney, sun and tree: seven pictures of zeros and ones."""
    y, x = np.mgrid[:SIDE, :SIDE]
    roof = (y >= 8) & (y < 16) & (abs(x - 11.5) < y - 5.5)
    door = (y >= 22) & (y < 28) & (x >= 12) & (x < 16)
    window = (y >= 18) & (y < 22) & (x >= 5) & (x < 10)
    wall = (y >= 16) & (y < 28) & (x >= 3) & (x < 21) & ~door & ~window
    chimney = (y >= 4) & (y < 12) & (x >= 15) & (x < 18) & ~roof
    sun = (y - 5.5) ** 2 + (x - 26) ** 2 < 14
    crown = (y - 17) ** 2 + (x - 26) ** 2 < 17
    trunk = (y >= 21) & (y < 28) & (x >= 25) & (x < 28)
    return np.array([wall, roof, door, window, chimney, sun, crown | trunk], dtype=float)


def main():
    shapes = parts().reshape(-1, SIDE * SIDE)
    brightness = np.random.default_rng(0).uniform(0.1, 0.8, (N_HOUSES, len(shapes)))
    clean = brightness @ shapes
    blocked, _ = add_blocks(clean, (SIDE, SIDE), 8, random_state=0)
    rows = {"seen": blocked}
    for name, model in {"NMF": NMF(7), "RobustNMF": RobustNMF(7, lam=0.1)}.items():
        model.set_params(max_iter=1000, tol=0, random_state=0)
        rows[name] = model.inverse_transform(model.fit_transform(blocked))
        print(f"{name}: relative error {relative_error(clean, rows[name]):.2f}")
    rows["hidden"] = clean
    face_grid({name: A[:8].reshape(-1, SIDE, SIDE) for name, A in rows.items()}, width=7)
    plt.savefig(FILE, dpi=100)


if __name__ == "__main__":
    main()
