"""Verdicts on the sentences of Guan et al. about their tables and figures.

Truncated Cauchy NMF is read as printed, with a rule that rejects nothing; where another outlier
rule says something else, it stands beside.
"""

from studies.guan.verdicts import (
    OWN,
    POSITIVE,
    runs_of,
    stored_rules,
    with_positive_noise,
    with_reading,
)
from studies.machinery.verdicts import sentence, sentence_rows

POINTS = {"form": "{:+.1f} ± {:.1f} points", "unit": 100}
#: The outlier rules that the chapter tries, as methods of the grids with disguises.
RULES = ["none", "three-sigma", "mad", "mixture"]
ROBUST = ["L1NMF", "HuberNMF", "CIMNMF"]
RIVALS = ["NeNMF", "L21NMF", "RobustNMF", *ROBUST]
DISGUISES = "other faces than AR, with simulated disguises"
SEEN = "the bar was set after the numbers were seen"


def claims():
    """Judge the paper's sentences."""
    rules = stored_rules()
    runs = with_reading("none")
    return sentence_rows(
        [
            *_laplace(runs[runs.kind == "Laplace"]),
            *(
                row | {"reading": POSITIVE, "data": f"orl, {POSITIVE}"}
                for row in _laplace(with_positive_noise())
            ),
            *_salted(runs[runs.kind == "salt & pepper"], rules[rules.kind == "salt & pepper"]),
            *_blocks(runs[runs.kind == "blocks"], rules[rules.kind == "blocks"]),
            _people(runs_of("faces")),
            _recognition(runs_of("recognition")),
            _objects(runs_of("objects")),
            _solver(runs_of("solver")),
        ]
    )


def _wide(runs, metric, by=("method",)):
    """Return one row per draw that all methods have, one column per value of `by`."""
    wide = runs.pivot_table(index="seed", columns=list(by), values=metric)
    return wide.dropna()


def _laplace(runs):
    ac, nmi = (_wide(runs[runs.method != "CauchyNMF"], metric) for metric in ("ac", "nmi"))
    orl = {"data": "orl", **POINTS}
    yield sentence(
        "§5.2.1",
        "NMF models outperform K-means in terms of accuracy and normalized mutual information",
        [wide[m] - wide["pixels"] for wide in (ac, nmi) for m in [*RIVALS, OWN]],
        cause="protocol not stated",
        reason=f"by another reading on average: {POSITIVE}",
        **orl,
    )
    for other, name in {"NeNMF": "L2", "L21NMF": "L2,1"}.items():
        yield sentence(
            "§5.2.1",
            "L1-NMF outperforms L2-NMF and L2,1-NMF",
            [wide["L1NMF"] - wide[other] for wide in (ac, nmi)],
            about=name,
            **orl,
        )
    yield sentence(
        "§5.2.1",
        "L1-NMF outperforms RNMF-L1",
        [wide["L1NMF"] - wide["RobustNMF"] for wide in (ac, nmi)],
        cause="protocol not stated",
        reason="λ of RNMF-L1 is not printed; 0.3 of white was taken",
        **orl,
    )
    levels = _wide(runs, "ac", ("method", "level"))
    yield sentence(
        "§5.2.1",
        "[of CIM-NMF and Huber-NMF] as the deviation increases, their performance is dramatically "
        "reduced",
        [levels[m][40] / 2 - levels[m][280] for m in ("CIMNMF", "HuberNMF")],
        about="accuracy",
        bar="from δ = 40 to 280 more than half is lost",
        cause="the claim does not hold",
        reason="CIM loses a little less than half",
        **orl,
    )
    yield sentence(
        "§5.2.1",
        "Truncated CauchyNMF outperforms all the representative NMF models",
        [wide[OWN] - wide[m] for wide in (ac, nmi) for m in RIVALS],
        cause="protocol not stated",
        reason=f"holds by another reading: {POSITIVE}",
        **orl,
    )
    errors = _wide(runs[runs.method != "pixels"], "rre")
    yield sentence(
        "§5.2.1",
        "It shows that CauchyNMF performs the most robustly in all situations",
        [errors[m] - errors[OWN] for m in RIVALS],
        about="Table II",
        cause="protocol not stated",
        reason=f"holds by another reading: {POSITIVE}",
        **orl,
    )


def _salted(runs, rules):
    own = [*ROBUST, OWN]
    rre = _wide(runs[runs.method != "pixels"], "rre", ("level", "method"))
    ac = _wide(runs, "ac", ("level", "method"))
    spread = [rre[p][own].max(axis=1) - rre[p][own].min(axis=1) for p in (5, 10)]
    yield sentence(
        "§5.2.2",
        "perform comparably when less than 20% of the pixels are corrupted",
        [0.02 - d for d in spread],
        f"within {100 * max(d.mean() for d in spread):.1f} points at 5 and 10 %",
        about="L1, Huber, CIM, Truncated Cauchy",
        bar="within 2 points of relative error; " + SEEN,
        cause="stopping point",
        reason="CIM's error at 5 % is three points above L1's at our budgets, 1.7 in print",
        data="orl",
    )
    yield sentence(
        "§5.2.2",
        "their performance is also degraded when more than 40% of pixels are corrupted",
        [ac[40][m] - ac[50][m] for m in ROBUST],
        about="L1, Huber, CIM; accuracy at 40 and 50 %",
        data="orl",
        **POINTS,
    )
    ahead = [
        (ac[p].drop(columns="CauchyNMF", errors="ignore")[RIVALS].lt(ac[p][OWN], axis=0))
        for p in sorted(runs.level.unique())
    ]
    share = sum(frame.mean(axis=1) for frame in ahead) / len(ahead)
    yield sentence(
        "§5.2.2",
        "outperforms all the representative models in most cases",
        [share - 0.5],
        f"ahead in {share.mean():.0%} of the pairs of a level and a model",
        about="accuracy",
        data="orl",
    )
    worst = {m: 0.3 - ac[60][m] for m in [*RIVALS, OWN]}
    best = max(ac[60][m].mean() for m in worst)
    mixture = rules[(rules.rule == "mixture") & (rules.level == 60)].ac.mean()
    yield sentence(
        "§5.2.2",
        "All the models fail when 60% of pixels are corrupted",
        list(worst.values()),
        f"at most {100 * best:.0f} %; with the mixture rule {100 * mixture:.0f} %",
        bar="an accuracy below 30 %; " + SEEN,
        data="orl",
    )
    rise = rre[50][OWN] - rre[30][OWN]
    yield sentence(
        "§5.2.2",
        "Truncated CauchyNMF performs stably when 30%∼50% of the pixels are corrupted",
        [0.02 - rise],
        f"{100 * rise.mean():+.1f} points of relative error (printed {22.97 - 11.80:+.1f})",
        bar="a rise below 2 points; " + SEEN,
        cause="the claim does not hold",
        reason="nor does the printed row, which rises as much as ours",
        data="orl",
    )


def _blocks(runs, rules):
    ac = _wide(runs, "ac", ("method", "level"))
    orl = {"data": "orl"}
    others = ["pixels", "NeNMF", "L21NMF", "RobustNMF", "L1NMF", "HuberNMF"]
    words = "K-means, L2-NMF, L2,1-NMF, RNMF-L1, L1-NMF, Huber-NMF, and CauchyNMF are seriously "
    words += "deteriorated by the added continuous occlusions"
    yield sentence(
        "§5.2.3",
        words,
        [0.3 - ac[m].max(axis=1) for m in others],
        f"at most {100 * max(ac[m].mean().max() for m in others):.0f} %",
        about="all but CauchyNMF",
        bar="an accuracy below 30 % at every b; " + SEEN,
        cause="stopping point",
        reason="some still work at b = 10",
        **orl,
    )
    yield sentence(
        "§5.2.3",
        words,
        [0.3 - ac["CauchyNMF"].max(axis=1)],
        f"{100 * ac['CauchyNMF'][10].mean():.0f} % at b = 10",
        about="CauchyNMF",
        bar="an accuracy below 30 % at every b; " + SEEN,
        cause="the claim does not hold",
        reason="by the paper's solver it works up to b = 14, at b = 10 from ten passes on",
        **orl,
    )
    cim = ac["CIMNMF"]
    yield sentence(
        "§5.2.3",
        "CIM-NMF performs robustly when the percentage of outliers is moderate, i.e., 10% … and "
        "14% …, its performance is unstable when the percentage of outliers reaches 20%",
        [cim[10] - 0.5, cim[12] - 0.5, 0.35 - cim[14]],
        ", ".join(f"{100 * cim[b].mean():.0f} %" for b in (10, 12, 14)),
        about="b = 10, 12, 14",
        bar="above 50 % and below 35 %; " + SEEN,
        cause="noise",
        **orl,
    )
    at_18 = rules[(rules.rule == "three-sigma") & (rules.level == 18)].ac.mean()
    yield sentence(
        "§5.2.3",
        "performs robustly when the percentage of outliers is less than 40%",
        [ac[OWN][18] - 0.4],
        f"{100 * ac[OWN][18].mean():.0f} % at b = 18; with three-sigma {100 * at_18:.0f} %",
        bar="an accuracy above 40 % at b = 18; " + SEEN,
        cause="protocol not stated",
        reason="the rule to the letter rejects nothing; read with all errors it comes out",
        **orl,
    )


def _people(runs):
    shown = runs.rename(columns={"trial": "seed"})
    ac, nmi = (_wide(shown, metric, ("people", "method")) for metric in ("ac", "nmi"))
    sizes = sorted(runs.people.unique())
    means = ac.mean().unstack()
    ahead = (means["none"] > means[RIVALS].max(axis=1)).sum()
    mad = (means["mad"] > means[RIVALS].max(axis=1)).sum()
    return sentence(
        "§5.3.1",
        "Truncated CauchyNMF consistently achieves the highest clustering performance on the AR "
        "dataset",
        [w[n]["none"] - w[n][m] for w in (ac, nmi) for n in sizes for m in RIVALS],
        f"first at {ahead} of {len(means)} numbers of people; with MAD at {mad}",
        data="orl",
        substitute=DISGUISES,
    )


def _recognition(runs):
    rate = _wide(runs[runs.kind == "all"], "ac")
    shown = {"as printed": "none", "three-sigma": "three-sigma", "MAD": "mad"}
    best = rate[["SEC", *RIVALS]].mean().max()
    found = ", ".join(f"{name} {100 * rate[m].mean():.0f} %" for name, m in shown.items())
    return sentence(
        "§5.3.1",
        "Table V shows that Truncated CauchyNMF performs the best in most cases",
        [rate["none"] - rate[m] for m in ["SEC", *RIVALS]],
        f"{found}; best other {100 * best:.0f} %",
        data="orl",
        substitute=DISGUISES,
    )


def _objects(runs):
    shown = runs.rename(columns={"trial": "seed"})
    ac = _wide(shown, "ac")
    return sentence(
        "§5.3.2",
        "Truncated CauchyNMF significantly outperforms other approaches",
        [ac["none"] - ac[m] for m in RIVALS],
        data="msrc",
        substitute="other pictures and features than Caltech 101 and a network's",
        **POINTS,
    )


def _solver(runs):
    rre = _wide(runs[runs.noise == "salt & pepper 40"], "rre")
    return sentence(
        "§5.3.2",
        "the high performance is not due to the optimization algorithm",
        [rre[m] - rre["NesterovCauchy"] for m in ("NesterovHuber", "NesterovCIM")],
        about="errors at 40 % salt & pepper",
        data="orl",
        substitute="measured on ORL, not on the clusters of AR; Cauchy itself gains by the solver",
        **POINTS,
    )
