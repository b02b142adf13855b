"""Table IV of Guan et al. once more, with blocks of the value 550 on faces between 0 and 1."""

import numpy as np

from rnmf_tutorial.data import add_blocks, load_orl
from studies import grid
from studies.guan.competitors import scores
from studies.guan.rules import contender


def bright_cell(seed, noise, method):
    """One run in single precision; the seed draws the places of the blocks and the start.

    In `noise.corrupted` a block has 550 where white is 255; here it has 550 where white
    is 1.
    """
    faces, side = load_orl(32, aligned=True), int(noise.split()[1])
    A = add_blocks(faces.data, (32, 32), side, value=550.0, random_state=seed)[0]
    return scores(contender(method, seed), faces, A.astype(np.float32))


BRIGHT = grid(
    "guan-bright",
    bright_cell,
    {"method": ["CIMNMF"]},
    seed=[1, 2, 3],
    noise=["blocks 10"],
    method=["none", "CIMNMF", "three-sigma"],
)
