"""Verdicts on the sentences of Guan et al. about their tables and figures.

Truncated Cauchy NMF is read as printed, with a rule that rejects nothing, and runs by the
printed algorithms; where another outlier rule says something else, it stands beside.
"""

from functools import partial

from studies.guan.verdicts import (
    OWN,
    POSITIVE,
    own_runs,
    runs_of,
    stored_rules,
    with_positive_noise,
    with_reading,
)
from studies.machinery.verdicts import sentence_rows
from studies.machinery.words import sentences

#: The outlier rules that the chapter tries, as methods of the grids with disguises.
RULES = ["none", "three-sigma", "mad", "mixture"]
ROBUST = ["L1NMF", "HuberNMF", "CIMNMF"]
RIVALS = ["NeNMF", "L21NMF", "RobustNMF", *ROBUST]

_says = sentences(__file__)


def says(name, parts, found="", **options):
    """Return the row of a sentence; each part has the draws that its methods share."""
    return _says(name, [part.dropna() for part in parts], found, **options)


points = partial(says, form="{:+.1f} ± {:.1f} points", unit=100)


def claims():
    """Judge the paper's sentences."""
    rules = stored_rules()
    runs = with_reading("none")
    runs = runs[runs.seed > 0]  # seed 0 was used to choose the rule "mixture"
    return sentence_rows(
        [
            *_laplace(runs[runs.kind == "Laplace"]),
            *(
                row | {"reading": POSITIVE, "data": f"orl, {POSITIVE}"}
                for row in _laplace(with_positive_noise())
            ),
            *_salted(
                runs[runs.kind == "salt & pepper"], rules[rules.kind == "salt & pepper"]
            ),
            *_blocks(runs[runs.kind == "blocks"]),
            _people(runs_of("faces")),
            _recognition(runs_of("recognition")),
            _objects(runs_of("objects")),
            _solver(runs_of("solver")),
        ]
    )


def _wide(runs, metric, by=("method",)):
    """Return one row per draw, one column per value of `by`; nan where a method lacks a draw."""
    return runs.pivot_table(index="seed", columns=list(by), values=metric)


def _ahead(tables, ours, others):
    """Return by how much each of ours is above each of the others, in each table."""
    return [wide[m] - wide[other] for wide in tables for m in ours for other in others]


def _laplace(runs):
    scores = [
        _wide(runs[runs.method != "CauchyNMF"], metric) for metric in ("ac", "nmi")
    ]
    yield points("laplace-pixels", _ahead(scores, [*RIVALS, OWN], ["pixels"]))
    for other, name in {"NeNMF": "L2", "L21NMF": "L2,1"}.items():
        yield points("laplace-l1", _ahead(scores, ["L1NMF"], [other]), about=name)
    yield points("laplace-rnmf", _ahead(scores, ["L1NMF"], ["RobustNMF"]))
    levels = _wide(runs, "ac", ("method", "level"))
    half_left = [levels[m][40] / 2 - levels[m][280] for m in ("CIMNMF", "HuberNMF")]
    yield points("laplace-cim-huber", half_left)
    yield points("laplace-own", _ahead(scores, [OWN], RIVALS))
    errors = _wide(runs[runs.method != "pixels"], "rre")
    yield points("laplace-errors", _ahead([errors], RIVALS, [OWN]))


def _salted(runs, rules):
    own = [*ROBUST, OWN]
    rre = _wide(runs[runs.method != "pixels"], "rre", ("level", "method"))
    ac = _wide(runs, "ac", ("level", "method"))
    few = [rre[p][own].dropna() for p in (5, 10)]
    spread = [errors.max(axis=1) - errors.min(axis=1) for errors in few]
    found = f"within {100 * max(d.mean() for d in spread):.1f} points at 5 and 10%"
    yield says("salt-few", [0.02 - d for d in spread], found)
    yield points("salt-many", [ac[40][m] - ac[50][m] for m in ROBUST])
    complete = ac.dropna()
    levels = sorted(runs.level.unique())
    ahead = [complete[p][RIVALS].lt(complete[p][OWN], axis=0) for p in levels]
    share = sum(frame.mean(axis=1) for frame in ahead) / len(ahead)
    found = f"ahead in {share.mean():.0%} of the pairs of a level and a model"
    yield says("salt-most", [share - 0.5], found)
    every = [*RIVALS, OWN]
    best = max(ac[60][m].mean() for m in every)
    mixture = rules[(rules.rule == "mixture") & (rules.level == 60)].ac.mean()
    found = f"at most {100 * best:.0f}%; with the mixture rule {100 * mixture:.0f}%"
    yield says("salt-all-fail", [0.3 - ac[60][m] for m in every], found)
    rise = rre[50][OWN] - rre[30][OWN]
    found = f"{100 * rise.mean():+.1f} points of relative error (printed {22.97 - 11.80:+.1f})"
    yield says("salt-stable", [0.02 - rise], found)


def _blocks(runs):
    ac = _wide(runs, "ac", ("method", "level"))
    others = ["pixels", "NeNMF", "L21NMF", "RobustNMF", "L1NMF", "HuberNMF"]
    found = f"at most {100 * max(ac[m].mean().max() for m in others):.0f}%"
    yield says("blocks-fail", [0.3 - ac[m].max(axis=1) for m in others], found)
    cauchy, cim, own = ac["CauchyNMF"], ac["CIMNMF"], ac[OWN][18]
    found = f"{100 * cauchy[10].mean():.0f}% at b = 10"
    yield says("blocks-cauchy", [0.3 - cauchy.max(axis=1)], found)
    found = ", ".join(f"{100 * cim[b].mean():.0f}%" for b in (10, 12, 14))
    yield says("blocks-cim", [cim[10] - 0.5, cim[12] - 0.5, 0.35 - cim[14]], found)
    at_18 = own_runs("three-sigma").query("noise == 'blocks 18'").ac.mean()
    found = f"{100 * own.mean():.0f}% at b = 18; with three-sigma {100 * at_18:.0f}%"
    yield says("blocks-own", [own - 0.4], found)


def _people(runs):
    shown = runs.rename(columns={"trial": "seed"})
    ac, nmi = (_wide(shown, metric, ("people", "method")) for metric in ("ac", "nmi"))
    sizes = sorted(runs.people.unique())
    means = ac.mean().unstack()
    best = means[RIVALS].max(axis=1)
    first, mad = ((means[rule] > best).sum() for rule in ("none", "mad"))
    ahead = _ahead([wide[n] for wide in (ac, nmi) for n in sizes], ["none"], RIVALS)
    found = f"first at {first} of {len(means)} numbers of people; with MAD at {mad}"
    return says("people", ahead, found)


def _recognition(runs):
    rate = _wide(runs[runs.kind == "all"], "ac")
    shown = {"as printed": "none", "three-sigma": "three-sigma", "MAD": "mad"}
    others = ["SEC", *RIVALS]
    found = ", ".join(
        f"{name} {100 * rate[m].mean():.0f}%" for name, m in shown.items()
    )
    found += f"; best other {100 * rate[others].mean().max():.0f}%"
    return says("recognition", _ahead([rate], ["none"], others), found)


def _objects(runs):
    ac = _wide(runs.rename(columns={"trial": "seed"}), "ac")
    return points("objects", _ahead([ac], ["none"], RIVALS))


def _solver(runs):
    rre = _wide(runs[runs.noise == "salt & pepper 40"], "rre")
    return points(
        "solver", _ahead([rre], ["NesterovHuber", "NesterovCIM"], ["NesterovCauchy"])
    )
