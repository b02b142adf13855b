"""Verdicts on the sentences of *Regularized non-negative matrix factorization*."""

import numpy as np

from studies.rows import stored
from studies.verdicts import claim, claim_rows, grade, larger


def claims():
    """Judge the paper's sentences."""
    methods, theta = stored("sparse-methods"), with_lam_theta(stored("sparse-theta"))
    table_1 = stored("sparse-table1")
    return claim_rows(
        [
            *_few_samples(table_1),
            *_five_methods(methods),
            _converged(stored("sparse-curves")),
            _lam_theta(theta),
            *_against_others(theta, methods),
            *_ranks(stored("sparse-rank")),
            *_large_faces(stored("sparse-orl")),
            _parts(theta, table_1, methods),
        ]
    )


def with_lam_theta(runs):
    """Return runs whose λθ stands behind the method's name with λθ as a column."""
    return runs.assign(lam_theta=runs.method.str.split().str[1].astype(float))


def _of(runs, method, column):
    return runs[runs.method == method].sort_values("seed")[column].to_numpy()


def _few_samples(table_1):
    trend = table_1.groupby("n")[["s", "c", "reach"]].mean()
    yield claim(
        "§5.1",
        "fewer samples: NMF less sparse, more collinear",
        grade(trend.s.is_monotonic_increasing and trend.c.is_monotonic_decreasing),
        f"s {trend.s[100]:.0%} to {trend.s[2429]:.0%}, c {trend.c[100]:.1f} to {trend.c[2429]:.1f}",
        data="cbcl",
    )
    yield claim(
        "§5.1",
        "fewer samples: NMF's basis more holistic",
        grade(trend.reach.is_monotonic_decreasing),
        f"reach {trend.reach[100]:.2f} at 100, {trend.reach[2429]:.2f} at 2429",
        data="cbcl",
    )


def _five_methods(methods):
    mean = methods.groupby("method").mean(numeric_only=True)
    ratios = [mean[k]["NMF (D, L1)"] / mean[k]["NMF"] - 1 for k in "esc"]
    yield claim(
        "§5.1",
        "divergence or distance: hardly a difference (10 %)",
        grade(max(map(abs, ratios)) < 0.1),
        "e, s, c differ by " + ", ".join(f"{q:+.0%}" for q in ratios),
        data="cbcl",
    )
    d = _of(methods, "NMF", "s") - _of(methods, "NMF (E, L2)", "s")
    sentence = "L1 normalization sparser than L2, each by its own ruler"
    yield claim("§5.1", sentence, *larger(d), data="cbcl")
    d = (_of(methods, "NMF", "s_l1") - _of(methods, "NMF (E, L2)", "s_l1")).mean()
    sentence = "L1 normalization sparser than L2, both by one ruler"
    yield claim("§5.1", sentence, grade(d > 0.01), f"{d:+.4f}", data="cbcl")
    d = _of(methods, "LocalNMF", "e") - _of(methods, "NMF", "e")
    yield claim("§5.1", "LNMF: error above NMF's", *larger(d), data="cbcl")
    d = _of(methods, "NMF", "e") - _of(methods, "PCA", "e")
    yield claim("§5.1", "PCA: lowest error", *larger(d), data="cbcl")
    raw, recomputed = mean.e_before["LocalNMF"], mean.e["LocalNMF"]
    verdict = grade(abs(raw - 0.35) < 0.02, raw > recomputed)
    yield claim("§5.1", "LNMF with its own H: about 35 %", verdict, f"{raw:.0%}", data="cbcl")


def _converged(curves):
    course = curves.groupby(["method", "sweep"]).e.mean()
    excess = {m: course[m][1000] / course[m][4000] - 1 for m in ("NMF", "RegularizedNMF 8")}
    return claim(
        "Fig. 4",
        "NMF and RNMF converged after 1000 sweeps",
        grade(max(excess.values()) < 0.05),
        "; ".join(f"{method} {value:+.1%}" for method, value in excess.items()),
        data="cbcl",
    )


def _lam_theta(theta):
    steps = theta.groupby("lam_theta")[["s", "c", "e"]].mean().loc[0.5:].diff().dropna()
    holds = (steps.s > 0).all() and (steps.c < 0).all() and (steps.e > 0).all()
    sentence = "λθ up: sparser, less collinear, larger error"
    return claim("Fig. 5", sentence, grade(holds), "from λθ = 0.5 on", data="cbcl")


def _against_others(theta, methods):
    gains = []
    for seed, line in theta.groupby("seed"):
        line = line.sort_values("s_l1")
        local = methods[(methods.method == "LocalNMF") & (methods.seed == seed)].iloc[0]
        target = min(local.s_l1, line.s_l1.max())
        gains.append(local.e - np.interp(target, line.s_l1, line.e))
    sentence = "RNMF: lower error than LNMF at comparable sparseness"
    yield claim("§5.2", sentence, *larger(gains), data="cbcl")
    at_8 = theta[theta.lam_theta == 8].set_index("seed").e_test
    for other in ("NMF", "LocalNMF"):
        d = methods[methods.method == other].set_index("seed").e_test[at_8.index] - at_8
        sentence = f"RNMF (8): lower test error than {other}"
        yield claim("Fig. 8", sentence, *larger(d), data="cbcl")


def _ranks(ranks):
    means = ranks.groupby(["r", "method"])[["e", "s_l1", "c_l2"]].mean()
    chain = ["PCA", "NMF", "RegularizedNMF 8", "RegularizedNMF 20", "LocalNMF"]
    ordered = [
        r
        for r in sorted(ranks.r.unique())
        if means.loc[r].loc[chain].e.is_monotonic_increasing
        and means.loc[r].loc[chain].s_l1.is_monotonic_increasing
    ]
    yield claim(
        "Fig. 7",
        "for every r: error and zeros in the order PCA, NMF, RNMF (8, 20), LNMF",
        grade(len(ordered) == ranks.r.nunique(), len(ordered) > 0),
        f"at r = {', '.join(map(str, ordered))}",
        data="cbcl",
    )
    collinear = means.c_l2.unstack("method")
    at_8, plain = collinear["RegularizedNMF 8"], collinear["NMF"]
    yield claim(
        "Fig. 7",
        "RNMF: collinearity stays small (below half of NMF's)",
        grade((at_8 < plain / 2).all()),
        ", ".join(f"{value:.1f}" for value in at_8),
        data="cbcl",
    )
    r2 = np.corrcoef(plain.index, plain)[0, 1] ** 2
    sentence = "NMF: collinearity grows linearly with r"
    yield claim("Fig. 7", sentence, grade(r2 > 0.98, r2 > 0.9), f"R² = {r2:.3f}", data="cbcl")


def _large_faces(orl):
    error = orl.groupby("method").e_test.mean()
    ours = error[error.index.str.startswith("Reg")]
    found = ", ".join(f"{method.split()[1]}: {value:.3f}" for method, value in ours.items())
    for other, name, text in (
        ("NMF", "NMF", f"NMF {error['NMF']:.3f}; {found}"),
        ("LocalNMF", "LNMF", f"LNMF {error['LocalNMF']:.3f}"),
    ):
        verdict = grade((ours < error[other]).all(), ours.min() < error[other])
        sentence = f"ORL: RNMF's test error below {name}'s for a wide range of λθ"
        yield claim("Fig. 10", sentence, verdict, text, data="orl")


def _parts(theta, table_1, methods):
    few = theta[theta.lam_theta == 8].reach.mean()
    many = table_1[table_1.n == 2429].reach.mean()
    local = methods[methods.method == "LocalNMF"].reach.mean()
    return claim(
        "§6",
        "RNMF extracts parts from few faces: reach at 8 below NMF's on all faces",
        grade(few < many),
        f"{few:.2f} against {many:.2f}; LNMF {local:.2f}",
        data="cbcl",
    )
