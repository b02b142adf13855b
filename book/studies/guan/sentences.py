"""Verdicts on the sentences of Guan et al. about their tables and figures."""

from studies.guan.verdicts import OWN, runs_of, stored_rules, with_reading
from studies.verdicts import NOT_TESTED, claim, claim_rows, grade, larger

#: The outlier rules that the chapter tries, as methods of the grids with disguises.
RULES = ["none", "three-sigma", "mad", "mixture"]


def claims():
    """Judge the paper's sentences; Truncated Cauchy NMF rejects nothing where no rule is named."""
    rules = stored_rules()
    runs = with_reading("none")
    means = runs.groupby(["kind", "method", "level"])[["rre", "ac"]].mean()
    return claim_rows(
        [
            *_laplace(runs[runs.kind == "Laplace"]),
            *_salted(means.loc["salt & pepper"], rules[rules.kind == "salt & pepper"]),
            *_blocks(means.loc["blocks"].ac.unstack("level"), rules[rules.kind == "blocks"]),
            _people(runs_of("faces")),
            _recognition(runs_of("recognition")),
            claim(
                "§5.3.2",
                "significantly better than the others on objects",
                NOT_TESTED,
                "other pictures and features; there, no gain over L2",
            ),
            _solver(runs_of("solver")),
        ]
    )


def _larger(runs, first, second, metric):
    wide = runs.pivot_table(index=["noise", "seed"], columns="method", values=metric)
    d = 100 * (wide[first] - wide[second]).dropna()
    return larger(d, "{:+.1f} ± {:.1f} points")


def _laplace(runs):
    for other, name in {"NeNMF": "L2", "L21NMF": "L2,1"}.items():
        sentence = f"Laplace: L1 clusters better than {name}"
        yield claim("Fig. 6", sentence, *_larger(runs, "L1NMF", other, "ac"), data="orl")
    sentence = "Laplace: Truncated Cauchy clusters better than all, so than L1"
    yield claim("Fig. 6", sentence, *_larger(runs, OWN, "L1NMF", "ac"), data="orl")
    common = runs[runs.seed.isin(runs[runs.method == "CauchyNMF"].seed)]
    sentence = "Laplace: the error of Truncated Cauchy is below that of L1"
    yield claim("Table II", sentence, *_larger(common, "L1NMF", OWN, "rre"), data="orl")


def _salted(means, rules):
    robust = ["L1NMF", "HuberNMF", "CIMNMF", OWN]
    mild = means.rre.unstack("level").loc[robust, :20]
    spread = (100 * (mild.max() - mild.min())).max()
    yield claim(
        "Table III",
        "up to 20 % L1, Huber, CIM and Truncated Cauchy are comparable",
        grade(spread < 2, spread < 4),
        f"within {spread:.1f} points at 5, 10 and 20 %",
        data="orl",
    )
    best = means.ac.xs(60, level="level").max()
    mixture = rules[(rules.rule == "mixture") & (rules.level == 60)].ac.mean()
    yield claim(
        "Fig. 7",
        "all models fail at 60 %",
        grade(best < 0.3),
        f"at most {100 * best:.0f} %; with the mixture rule {100 * mixture:.0f} %",
        data="orl",
    )
    own = means.rre[OWN]
    rise = 100 * (own[50] - own[30])
    yield claim(
        "Table III",
        "stable from 30 to 50 %",
        grade(rise < 2),
        f"{rise:+.1f} points (printed {22.97 - 11.80:+.1f})",
        data="orl",
    )


def _blocks(ac, rules):
    cauchy, cim = ac.loc["CauchyNMF"], ac.loc["CIMNMF"]
    yield claim(
        "Table IV",
        "Cauchy without truncation fails from b = 10 on",
        grade(cauchy[10] < 0.3),
        f"{100 * cauchy[10]:.0f} % at b = 10",
        data="orl",
    )
    yield claim(
        "Table IV",
        "CIM is robust up to b = 12 and unstable from 14 on",
        grade(cim[12] > 0.5 > 0.35 > cim[14]),
        f"{100 * cim[12]:.0f} %, {100 * cim[14]:.0f} %",
        data="orl",
    )
    at_18 = rules[(rules.rule == "three-sigma") & (rules.level == 18)].ac.mean()
    yield claim(
        "Table IV",
        "Truncated Cauchy is robust below 40 % (b = 20), with three-sigma",
        grade(at_18 > 0.4),
        f"{100 * at_18:.0f} % at b = 18",
        data="orl",
    )


def _people(runs):
    means = runs.groupby(["people", "method"]).ac.mean().unstack()
    ahead = (means["mad"] > means.drop(columns=RULES).max(axis=1)).sum()
    return claim(
        "Fig. 9",
        "highest accuracy for every number of people",
        grade(ahead == len(means), ahead > len(means) / 2),
        f"MAD: {ahead} of {len(means)}",
        data="orl, simulated disguises",
    )


def _recognition(runs):
    rate = runs[runs.kind == "all"].groupby("method").ac.mean()
    return claim(
        "Table V",
        "Truncated Cauchy + SRC recognizes best",
        grade(rate["mad"] > rate.drop(["mad", "none", "mixture"]).max()),
        "with MAD (clearly) or without rejection (on average); three draws",
        data="orl, simulated disguises",
    )


def _solver(runs):
    rre = runs[runs.noise == "salt & pepper 40"].groupby("method").rre.mean()
    return claim(
        "§5.3.2",
        "the solver is not the reason",
        grade(rre["NesterovHuber"] > rre["NesterovCauchy"] + 0.03),
        "against Huber and CIM, on ORL; Cauchy itself gains by it",
        data="orl",
    )
