"""Verdicts on the sentences of *Regularized non-negative matrix factorization*."""

from itertools import pairwise

import numpy as np
import pandas as pd

from studies import stored
from studies.machinery.verdicts import sentence_rows
from studies.machinery.words import sentences

says = sentences(__file__)


def claims():
    """Judge the paper's sentences."""
    methods, theta = stored("sparse-methods"), with_lam_theta(stored("sparse-theta"))
    sparser = with_lam_theta(stored("sparse-sparser"))
    table_1 = stored("sparse-table1")
    return sentence_rows(
        [
            *_few_samples(table_1),
            *_five_methods(methods),
            _converged(stored("sparse-curves")),
            _lam_theta(theta),
            says(
                "comparable",
                [comparable_gain(pd.concat([theta, sparser]), methods).dropna()],
            ),
            *_test_error(theta, methods),
            *_ranks(stored("sparse-rank")),
            *_large_faces(stored("sparse-orl")),
            _parts(theta, table_1, methods),
            _divergence(stored("sparse-divergence"), methods),
        ]
    )


def with_lam_theta(runs):
    """Return runs whose λθ stands behind the method's name with λθ as a column."""
    return runs.assign(lam_theta=runs.method.str.split().str[1].astype(float))


def _wide(runs, by, column):
    """Return one row per draw, one column per value of `by`."""
    return runs.pivot(index="seed", columns=by, values=column)


def _steps(wide, sign):
    """Return the steps from each column to the next, positive where they go the claimed way."""
    return [sign * (wide[b] - wide[a]) for a, b in pairwise(wide)]


def _few_samples(table_1):
    s, c, reach = (_wide(table_1, "n", column) for column in ("s", "c", "reach"))
    found = f"s {s[100].mean():.0%} to {s[2429].mean():.0%}, "
    found += f"c {c[100].mean():.1f} to {c[2429].mean():.1f}"
    yield says("few-numbers", [*_steps(s, 1), *_steps(c, -1)], found)
    found = f"reach {reach[100].mean():.2f} at 100, {reach[2429].mean():.2f} at 2429"
    yield says("few-holistic", _steps(reach, -1), found)


def _five_methods(methods):
    e, s, c = (_wide(methods, "method", column) for column in "esc")
    ratios = [wide["NMF (D, L1)"] / wide["NMF"] - 1 for wide in (e, s, c)]
    found = "e, s, c differ by " + ", ".join(f"{ratio.mean():+.0%}" for ratio in ratios)
    yield says("five-objectives", [0.1 - ratio.abs() for ratio in ratios], found)
    yield says("five-l1", [s["NMF"] - s["NMF (E, L2)"]])
    one = _wide(methods, "method", "s_l1")
    yield says("five-one-ruler", [one["NMF"] - one["NMF (E, L2)"]])
    yield says("five-lnmf-error", [e["LocalNMF"] - e["NMF"]])
    others = ("NMF", "NMF (D, L1)", "NMF (E, L2)", "LocalNMF")
    yield says("five-pca", [e[other] - e["PCA"] for other in others])
    before = _wide(methods, "method", "e_before")["LocalNMF"]
    parts = [before - e["LocalNMF"], 0.05 * 0.35 - (before - 0.35).abs()]
    yield says("five-lnmf-original", parts, f"{before.mean():.0%}")


def _converged(curves):
    e = curves.pivot(index="seed", columns=["method", "sweep"], values="e")
    excess = {m: e[m][1000] / e[m][4000] - 1 for m in ("NMF", "RegularizedNMF 8")}
    found = "; ".join(
        f"{method} {value.mean():+.1%}" for method, value in excess.items()
    )
    return says("converged", [0.05 - value for value in excess.values()], found)


def _lam_theta(theta):
    s, c, e = (_wide(theta, "lam_theta", column) for column in "sce")
    about = f"each step from λθ = {s.columns[0]:g} to {s.columns[-1]:g}"
    return says(
        "lam-theta", [*_steps(s, 1), *_steps(c, -1), *_steps(e, 1)], about=about
    )


def comparable_gain(path, methods):
    """Return LNMF's error minus RNMF's at LNMF's own sparseness, by interpolation in each draw.

    NaN where no basis of the path is as sparse.
    """
    gains = {}
    for seed, line in path.groupby("seed"):
        line = line.sort_values("s_l1")
        local = methods[(methods.method == "LocalNMF") & (methods.seed == seed)].iloc[0]
        inside = line.s_l1.min() <= local.s_l1 <= line.s_l1.max()
        error = np.interp(local.s_l1, line.s_l1, line.e) if inside else np.nan
        gains[seed] = local.e - error
    return pd.Series(gains)


def _test_error(theta, methods):
    at_8 = theta[theta.lam_theta == 8].set_index("seed").e_test
    for other, name in (("NMF", "NMF"), ("LocalNMF", "LNMF")):
        there = methods[methods.method == other].set_index("seed").e_test
        yield says("test-error", [there[at_8.index] - at_8], about=f"{name}, λθ = 8")


def _ranks(ranks):
    by = ["r", "method"]
    e, s, c = (
        ranks.pivot(index="seed", columns=by, values=k) for k in ("e", "s_l1", "c_l2")
    )
    chain = ["PCA", "NMF", "RegularizedNMF 8", "RegularizedNMF 20", "LocalNMF"]
    sizes = sorted(ranks.r.unique())
    parts = {r: [*_steps(e[r][chain], 1), *_steps(s[r][chain], 1)] for r in sizes}
    held = [r for r in sizes if all(part.mean() > 0 for part in parts[r])]
    held, tried = (", ".join(map(str, ranks)) for ranks in (held, sizes))
    found = f"in the order PCA, NMF, RNMF (8, 20), LNMF at r = {held} of {tried}"
    yield says(
        "ranks-general", [part for at_r in parts.values() for part in at_r], found
    )
    plain, at_8 = (c.xs(m, axis=1, level="method") for m in ("NMF", "RegularizedNMF 8"))
    found = ", ".join(f"{value:.1f}" for value in at_8.mean())
    yield says("ranks-collinearity", [plain[r] / 2 - at_8[r] for r in sizes], found)
    r2 = plain.apply(lambda row: np.corrcoef(sizes, row)[0, 1] ** 2, axis=1)
    yield says("ranks-linear", [r2 - 0.98], f"R² = {r2.mean():.3f}")


def _large_faces(orl):
    error = _wide(orl, "method", "e_test")
    ours = error[[m for m in error if m.startswith("Reg")]]
    found = ", ".join(
        f"{m.split()[1]}: {value:.3f}" for m, value in ours.mean().items()
    )
    for other, name in (("NMF", "NMF"), ("LocalNMF", "LNMF")):
        gains = [error[other] - ours[m] for m in ours]
        plain = f"{name} {error[other].mean():.3f}"
        yield says("large-faces", gains, f"{plain}; {found}", about=f"ORL, {name}")


def _parts(theta, table_1, methods):
    few = theta[theta.lam_theta == 8].set_index("seed").reach
    many = table_1[table_1.n == 2429].set_index("seed").reach
    local = methods[methods.method == "LocalNMF"].reach.mean()
    found = (
        f"reach {few.mean():.2f} at λθ = 8, NMF on all faces {many.mean():.2f}, "
        f"LNMF {local:.2f}"
    )
    return says("parts", [(many - few).dropna()], found)


def _divergence(runs, methods):
    """Ask what the penalty does with the divergence, for which the paper prints nothing."""
    plain = methods[methods.method == "NMF (D, L1)"].set_index("seed")
    ours = runs[runs.lam_theta == 8].set_index("seed")
    plain = plain.loc[ours.index]
    parts = [ours.s_l1 - plain.s_l1, plain.c_l2 - ours.c_l2, plain.e_test - ours.e_test]
    found = ", ".join(
        f"{name} {ours[column].mean():.3g} (NMF {plain[column].mean():.3g})"
        for name, column in (("s", "s_l1"), ("c", "c_l2"), ("test error", "e_test"))
    )
    return says("divergence", parts, found)
