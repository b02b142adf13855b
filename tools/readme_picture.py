"""Draw the picture of README.md: toy houses behind white blocks, and what two methods make of them.

    python tools/readme_picture.py

The first page of the book shows the same, with fewer houses.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rnmf_tutorial import NMF, MaskedSearchCV
from rnmf_tutorial.data import add_blocks, toy_houses
from rnmf_tutorial.measures import relative_error

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / ".github" / "houses.png"
sys.path.append(str(ROOT / "book"))

from figures import face_grid  # noqa: E402


def main():
    houses = toy_houses(300, random_state=0)
    A, _ = add_blocks(houses.data, (32, 32), 8, random_state=0)
    rows = {"seen": A}
    for name, model in {
        "plain": NMF(n_components=7, solver="cd", random_state=0),
        "robust": MaskedSearchCV(n_components=7, random_state=0),
    }.items():
        model.fit(A)
        rows[name] = model.inverse_transform(model.transform(A))
        print(f"{name}: relative error {relative_error(houses.data, rows[name]):.2f}")
    rows["hidden"] = houses.data
    face_grid({name: B[:8].reshape(-1, 32, 32) for name, B in rows.items()}, width=7)
    plt.savefig(FILE, dpi=200)


if __name__ == "__main__":
    main()
