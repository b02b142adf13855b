"""What the page on faces makes of the rows: who is better, what it advises, what a value costs."""

import numpy as np

from studies.choosing.faces import TUNING
from studies.choosing.grids import CANDIDATES

#: What is wrong: how the rows call it: the model to take.
ADVICE = """\
nothing: none 0: NeNMF
faint Gaussian noise: Gaussian 0.1: NeNMF
strong Gaussian noise: Gaussian 0.3: NMF
Laplace noise: Laplace 0.2: RobustNMF
10% of the pixels: salt & pepper 10: RobustNMF
30% of the pixels: salt & pepper 30: TruncatedCauchyNMF, no rule
50% of the pixels: salt & pepper 50: TruncatedCauchyNMF
8×8 block each: blocks 8: TruncatedCauchyNMF, no rule
12×12 block each: blocks 12: TruncatedCauchyNMF, mixture
16×16 block each: blocks 16: TruncatedCauchyNMF
20% disguised: disguises 20: NMF
50% disguised: disguises 50: CIMNMF, adaptive
10% no faces: strangers 10: CappedNMF
30% no faces: strangers 30: CappedNMF"""
ADVICE = [tuple(line.split(": ")) for line in ADVICE.splitlines()]


def compared(error, a, b, corruption):
    """Return how a model is against another, by how many percent on average, and the deviation.

    It is better if its error is lower on every draw, and by at least 1% on average;
    likewise worse; else they tie.
    """
    gap = np.log(error.loc[corruption, a] / error.loc[corruption, b])
    clear = abs(gap.mean()) > -np.log(0.99)
    word = "better" if clear and (gap < 0).all() else "tie"
    word = "worse" if clear and (gap > 0).all() else word
    return word, 100 * np.expm1(gap.mean()), 100 * gap.std()


def scores(tuning):
    """Return, by model and value of its parameter, the logarithms of the errors over NMF's."""
    level = tuning.set_index(["seed", "setting", "corruption"]).rre.unstack()[TUNING]
    relative = np.log(level.div(level.xs("NMF", level="setting"), level="seed"))
    relative = relative.groupby("setting").mean()
    return {
        (model, value): relative.loc[f"{model} {name}={value}"]
        for model, (name, values, _) in CANDIDATES.items()
        for value in values
    }
