"""The small lemmas under the descent theorems, proved by an SMT solver, and errors that it refutes.

A function takes real numbers and returns what is given and what is claimed. The solver
looks for numbers with the one and without the other. Of a lemma there must be none:
then it is proved for all reals. Of an error there must be some. The limit counts the
solver's steps, not seconds, so no answer hangs on a clock. The solver knows no
logarithm and no exponential: where a lemma needs one, it is a function of which it is
told an axiom, and nothing else.
"""

from inspect import signature

import pytest

z3 = pytest.importorskip(
    "z3", reason="the SMT solver is not installed: pip install z3-solver"
)

STEPS = 3_000_000
LEMMAS = []
ERRORS = []


def lemma(where, holds):
    """Register a lemma of a theorem of the book, and for what it is proved."""
    return lambda function: LEMMAS.append(function) or function


#: Registers a proof that an error which a page makes on purpose is wrong everywhere.
refutation = lemma


def error(where, what):
    """Register an error that a page makes on purpose, and what the solver refutes."""
    return lambda function: ERRORS.append(function) or function


def solved(*formulas):
    context = (
        z3.Context()
    )  # of its own, so that no answer depends on what was asked before
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", STEPS)
    solver.add(*(formula.translate(context) for formula in formulas))
    return solver.check(), solver


def question(function):
    given, claim = function(*map(z3.Real, signature(function).parameters))
    return given, z3.Not(claim)


@pytest.mark.parametrize("function", LEMMAS)
def test_no_numbers_contradict_a_lemma(function):
    given, contradicted = question(function)
    assert solved(*given)[0] == z3.sat  # else everything would follow
    assert solved(*given, contradicted)[0] == z3.unsat


@pytest.mark.parametrize("function", ERRORS)
def test_the_solver_finds_numbers_that_refute_an_error(function):
    given, contradicted = question(function)
    answer, solver = solved(*given, contradicted)
    assert answer == z3.sat
    model = solver.model()
    for formula in solver.assertions():
        assert z3.is_true(model.eval(formula, model_completion=True))


# ---------------------------------------------------------------- tangents lie above

ln, exp = (z3.Function(name, z3.RealSort(), z3.RealSort()) for name in ("ln", "exp"))


def ln_axiom(a, b):
    """ln t ≤ t - 1 and ln(bt) = ln b + ln t, at t = a/b for positive a and b."""
    return [ln(a) - ln(b) <= a / b - 1]


def exp_axiom(a, b):
    """exp t ≥ 1 + t and exp(b + t) = exp b exp t > 0, at t = a - b."""
    return [exp(b) > 0, exp(a) >= exp(b) * (1 + a - b)]


def smaller(a, b):
    return z3.If(a <= b, a, b)


def size(a):
    return z3.If(a >= 0, a, -a)


def huber(e):
    """Of a size or a number, at the scale one."""
    return z3.If(size(e) <= 1, e**2, 2 * size(e) - 1)


def cim(u):
    return 2 * (1 - exp(-u / 2))


def truncated(u, s):
    return z3.If(u <= s, ln(1 + u), ln(1 + s))


def soft(e, t):
    return z3.If(e > t, e - t, z3.If(e < -t, e + t, 0))


def price(e, s, lam):
    """What an error e costs of which s is called sparse."""
    return (e - s) ** 2 + lam * size(s)


def below(phi, slope, new, old):
    """φ lies below the line through (old, φ(old)) of this slope."""
    return phi(new) <= phi(old) + slope * (new - old)


@lemma("l2_l1_l21:thm-weighted", "all reals; a, b the roots of the energies")
def tangent_of_huber(a, b):
    slope = z3.If(b <= 1, 1, 1 / b)
    return [a >= 0, b >= 0], huber(a) <= huber(b) + slope * (a**2 - b**2)


@lemma("l2_l1_l21:thm-weighted", "all reals; a² = 1 + u, b² = 1 + v, a, b ≥ 1")
def tangent_of_hypersurface(a, b):
    return [a >= 1, b >= 1], 2 * (a - 1) <= 2 * (b - 1) + (a**2 - b**2) / b


@lemma("l2_l1_l21:thm-weighted", "all reals; a² = u, b² = v")
def tangent_of_a_length(a, b):
    return [a >= 0, b > 0], a <= b + (a**2 - b**2) / (2 * b)


@lemma("l2_l1_l21:thm-weighted", "all reals; a² = u, b² = v")
def tangent_of_a_capped_length(a, b):
    slope = z3.If(b <= 1, 1 / (2 * b), 0)
    return [a >= 0, b > 0], smaller(a, 1) <= smaller(b, 1) + slope * (a**2 - b**2)


@lemma("engine:sec-engine-own", "all reals")
def tangent_of_geman_mcclure(u, v):
    return [u >= 0, v >= 0], below(lambda u: u / (1 + u), 1 / (1 + v) ** 2, u, v)


@lemma("l2_l1_l21:thm-weighted", "all reals, by the axiom of ln")
def tangent_of_cauchy(u, v):
    given = [u >= 0, v >= 0, *ln_axiom(1 + u, 1 + v)]
    return given, below(lambda u: ln(1 + u), 1 / (1 + v), u, v)


@lemma("l2_l1_l21:thm-weighted", "all reals, by the axiom of exp")
def tangent_of_correntropy(u, v):
    given = [u >= 0, v >= 0, *exp_axiom(-u / 2, -v / 2)]
    return given, below(cim, exp(-v / 2), u, v)


@lemma(
    "truncated_cauchy:thm-tc-descent",
    "all reals, every threshold s, by the axiom of ln",
)
def line_above_truncated_cauchy(u, v, s):
    slope = z3.If(v <= s, 1 / (1 + v), 0)
    pairs = (u, v), (s, v), (u, s)
    given = [u >= 0, v >= 0, s > 0]
    given += [part for a, b in pairs for part in ln_axiom(1 + a, 1 + b)]
    return given, below(lambda u: truncated(u, s), slope, u, v)


@lemma(
    "truncated_cauchy:thm-tc-conjugate",
    "all reals, every threshold s, by the axiom of ln",
)
def price_of_a_small_weight(u, q, s):
    """g(u) is at most q u + χ(q) where χ is a line."""
    given = [u >= 0, s > 0, q >= 0, q * (1 + s) <= 1, *ln_axiom(1 + u, 1 + s)]
    return given, truncated(u, s) <= q * u + ln(1 + s) - s * q


@lemma(
    "truncated_cauchy:thm-tc-conjugate",
    "all reals, every threshold s, by the axiom of ln",
)
def price_of_a_large_weight(u, q, s):
    """g(u) is at most q u + χ(q) where χ is none."""
    given = [u >= 0, s > 0, q * (1 + s) >= 1, q <= 1, ln(1 / q) == -ln(q)]
    given += ln_axiom(1 + u, 1 / q) + ln_axiom(1 + s, 1 + u)
    return given, truncated(u, s) <= q * u + q - 1 - ln(q)


@lemma(
    "truncated_cauchy_theory:thm-tc-counterexample", "all h ≥ 0, as soon as c is small"
)
def third_entry_or_both_others(alpha, epsilon, c, d, h, root):
    """The errors of the sample are α/√2 - ch, twice, and -dh; one of the two kinds is truncated."""
    given = [root > 0, root**2 == 2, epsilon > 0, alpha > root * epsilon, h >= 0]
    given += [
        c > 0,
        d > 0,
        d**2 == 1 - 2 * c**2,
        c * epsilon < d * (alpha / root - epsilon),
    ]
    return given, z3.Or(d * h > epsilon, alpha / root - c * h > epsilon)


# ---------------------------------------------------------------- errors as a matrix


@lemma("robust_nmf:lem-soft", "all reals; the minimizer is the only one")
def soft_thresholding(e, s, lam):
    best = soft(e, lam / 2)
    least = price(e, best, lam)
    return [lam >= 0], z3.And(price(e, s, lam) >= least + (s - best) ** 2, least >= 0)


@lemma("robust_nmf:lem-clean", "all reals")
def cleaned_data_are_not_negative(x, y, lam):
    return [x >= 0, y >= 0, lam >= 0], x - soft(x - y, lam / 2) >= 0


@lemma("engine_identities:thm-engine-huber", "all reals")
def what_is_left_is_huber(e, c):
    by_hand = z3.If(size(e) <= c, e**2, 2 * c * size(e) - c**2)
    return [c > 0], price(e, soft(e, c), 2 * c) == by_hand


# ---------------------------------------------------------------- clean, then fit


@lemma("faster:thm-faster-clean", "all reals")
def squares_of_cleaned_data(x, y, old, q):
    m = q * x + (1 - q) * old
    fall = q * ((x - y) ** 2 - (x - old) ** 2)
    return [q >= 0, q <= 1], (m - y) ** 2 - (m - old) ** 2 >= fall


@lemma("faster:thm-faster-clean", "all reals, and any values and slopes of a convex F")
def bregman_identity(x, y, old, q, Fx, Fy, Fm, F_old, slope, slope_old):
    m = q * x + (1 - q) * old

    def d(x, F, y, Fy, slope):
        return F - Fy - slope * (x - y)

    new_point = (y, Fy, slope)
    old_point = (old, F_old, slope_old)
    data = d(x, Fx, *new_point) - d(x, Fx, *old_point)
    cleaned = d(m, Fm, *new_point) - d(m, Fm, *old_point)
    moved = d(old, F_old, *new_point)  # not negative, as F is convex
    claim = z3.And(cleaned == q * data + (1 - q) * moved, cleaned >= q * data)
    return [q >= 0, q <= 1, moved >= 0], claim


@lemma(
    "faster:thm-faster-clean",
    "three entries in two windows, any K ≥ 0, any φ with a tangent",
)
def windows(a, b, c, d, e, f, x1, x2, x3, y1, y2, y3, s, t, fall_s, fall_t):
    """Two windows weigh three entries; x are divergences now, y before, s and t the slopes."""
    weights = a, b, c, d, e, f, s, t
    x, y = (x1, x2, x3), (y1, y2, y3)
    K = (a, b, c), (d, e, f)
    changes = [sum(k * (n - o) for k, n, o in zip(row, x, y, strict=True)) for row in K]
    q = [s * a + t * d, s * b + t * e, s * c + t * f]
    tangents = [fall_s <= s * changes[0], fall_t <= t * changes[1]]
    claim = fall_s + fall_t <= sum(w * (n - o) for w, n, o in zip(q, x, y, strict=True))
    return [*(w >= 0 for w in weights), *tangents], claim


@lemma("rest:thm-faster-stationary", "all reals")
def gain_of_a_coordinate_step(a, v, h):
    best = z3.If(v >= 0, v, 0)
    return [a >= 0, h >= 0], a * (h - v) ** 2 - a * (best - v) ** 2 >= a * (
        h - best
    ) ** 2


@lemma("rest:thm-faster-damped", "all reals; the algebra after the two bounds on ω")
def sure_gain_of_the_damped_step(g, v, sigma):
    t = z3.If(v + g * sigma <= g, 1, g / (v + g * sigma))
    sure = t * g - t**2 * v / (2 * (1 - sigma * t))
    return [g > 0, v > 0, sigma >= 0], z3.And(1 - sigma * t > 0, sure >= t * g / 2)


# ---------------------------------------------------------------- separable majorizers


@lemma(
    "nmf:lem-nmf-psd", "one pair k < l; the sum over all pairs is the lemma for any r"
)
def lee_seung_pair(k, h1, h2, p1, p2):
    pair = k * h2 / h1 * p1**2 + k * h1 / h2 * p2**2 - 2 * k * p1 * p2
    return [k >= 0, h1 > 0, h2 > 0], pair >= 0


@lemma(
    "l2_l1_l21_shen:lem-absolute",
    "one pair k < l of any sign; the sum is the lemma for any size",
)
def absolute_pair(k, h1, h2, p1, p2):
    pair = size(k) * (h2 / h1 * p1**2 + h1 / h2 * p2**2) - 2 * k * p1 * p2
    return [h1 > 0, h2 > 0], pair >= 0


@lemma("nmf:thm-nmf-kl", "r = 3, by the axiom of ln")
def jensen_for_the_logarithm(a, b, p, q, s, mean):
    """ln of a mean is at least the mean of ln; the three numbers are p, q, s times the mean."""
    c = 1 - a - b
    pairs = (a, p), (b, q), (c, s)
    given = [mean > 0, *(w >= 0 for w, _ in pairs), *(x > 0 for _, x in pairs)]
    given += [sum(w * x for w, x in pairs) == 1]
    given += [w * (ln(x * mean) - ln(mean)) <= w * (x - 1) for w, x in pairs]
    return given, sum(w * ln(x * mean) for w, x in pairs) <= ln(mean)


# ---------------------------------------------------------------- graphs


def graph(a, b, c, h):
    """Return hDh and hAh of three samples with these affinities."""
    degrees = a + b, a + c, b + c
    loops = sum(d * x**2 for d, x in zip(degrees, h, strict=True))
    return loops, 2 * (a * h[0] * h[1] + b * h[0] * h[2] + c * h[1] * h[2])


@lemma("supervised:lem-laplacian", "n = 3, all affinities and coefficients")
def quadratic_form_of_a_graph(a, b, c, h1, h2, h3):
    D, A = graph(a, b, c, (h1, h2, h3))
    twice = 2 * (a * (h1 - h2) ** 2 + b * (h1 - h3) ** 2 + c * (h2 - h3) ** 2)
    return [], twice == 2 * (D - A)


@lemma("rest:ex-faster-graph", "n = 3, all affinities ≥ 0")
def laplacian_below_twice_the_degrees(a, b, c, h1, h2, h3):
    D, A = graph(a, b, c, (h1, h2, h3))
    return [a >= 0, b >= 0, c >= 0], D - A <= 2 * D


@lemma("supervised:lem-room", "n = 1, all reals: the identity and the descent")
def room_to_spare(p, n, b, old):
    def f(v):
        return (p - n) * v**2 / 2 - b * v

    new = old * (b + n * old) / (p * old)
    room = (2 * p - (p - n)) * (new - old) ** 2 / 2
    given = [p > 0, n >= 0, b >= 0, old > 0]
    return given, z3.And(f(new) == f(old) - room, f(new) <= f(old))


# ---------------------------------------------------------------- a sparse basis


@lemma("sparse_basis:lem-sb-sphere", "m = 3, all reals")
def sum_on_the_sphere(a, b, c):
    given = [a >= 0, b >= 0, c >= 0, a**2 + b**2 + c**2 == 1]
    return given, z3.And(a + b + c >= 1, (a + b + c) ** 2 <= 3)


# ---------------------------------------------------------------- the loss of a sum


@lemma("neighbors:thm-neighbors-location", "all reals; C = 2 at the scale 1")
def huber_of_a_sum(a, b):
    return [], huber(a + b) <= huber(a) + huber(b) + 2


@lemma("neighbors:thm-neighbors-location", "all reals; p² = 1 + a², and so on")
def hypersurface_of_a_sum(a, b, p, q, s):
    given = [
        p >= 0,
        q >= 0,
        s >= 0,
        p**2 == 1 + a**2,
        q**2 == 1 + b**2,
        s**2 == 1 + (a + b) ** 2,
    ]
    return given, 2 * (s - 1) <= 2 * (p - 1) + 2 * (q - 1) + 4


@lemma(
    "neighbors:thm-neighbors-location",
    "all reals; the logarithm of both sides is the claim",
)
def cauchy_of_a_sum(a, b):
    return [], 1 + (a + b) ** 2 <= 2 * (1 + a**2) * (1 + b**2)


# ---------------------------------------------------------------- errors


@error("nmf", "W and H at once: the squares do not rise (one entry)")
def simultaneous(x, w, h):
    new = (w * (x * h) / (w * h * h)) * (h * (w * x) / (w * w * h))
    return [x > 0, w > 0, h > 0], (x - new) ** 2 <= (x - w * h) ** 2


@error(
    "nmf", "a part is forgotten: where the others rest, the slope is zero (two entries)"
)
def off_by_one(x, y, h, k):
    rests = h * x == h * h  # W = 1, and only h moves
    return [x > 0, y > 0, h > 0, k > 0, rests], k == y


@error(
    "robust_nmf", "lines 8 and 9 as printed: the objective does not rise (one entry)"
)
def norms_too_late(x, w, h, lam):
    def left(y):
        return price(x - y, soft(x - y, lam / 2), lam)

    w_new = (x - soft(x - w * h, lam / 2)) / h
    h_new = (x - soft(x - w * h, lam / 2)) / w_new
    return [x > 0, w > 0, h > 0, lam > 0, w_new > 0], left(1 * h_new) <= left(w * h)


@error("robust_nmf", "the threshold λ in the place of λ/2 is as good")
def threshold_twice_too_large(e, lam):
    return [lam > 0], price(e, soft(e, lam), lam) <= price(e, soft(e, lam / 2), lam)


@error(
    "l2_l1_l21, engine_identities, truncated_cauchy",
    "weights of another point: a line of them lies above",
)
def frozen_weights(a, b, first):
    return [a >= 0, b > 0, first > 0], a <= b + (a**2 - b**2) / (2 * first)


@error("l2_l1_l21", "√u in the place of 1/√u: the line lies above")
def upside_down(a, b):
    return [a >= 0, b > 0], a <= b + b * (a**2 - b**2)


@error("l2_l1_l21_shen", "K for |K|: the sum of squares lies above (r = 2)")
def signed_matrix(k, h1, h2, p1, p2):
    pair = k * (h2 / h1 * p1**2 + h1 / h2 * p2**2) - 2 * k * p1 * p2
    return [h1 > 0, h2 > 0], pair >= 0


@error("engine_identities", "1/‖e‖² in the place of 1/‖e‖: the line lies above")
def squared_lengths(a, b):
    return [a >= 0, b > 0], a <= b + (a**2 - b**2) / b**2


@error(
    "engine_identities",
    "Cauchy's weights on one side: the error does not grow (one entry, scale 1)",
)
def one_sided(x, y):
    q = 1 / (1 + (x - y) ** 2)
    return [x > 0, y > 0], (x - q * x) ** 2 <= (x - y) ** 2


@error("sparse_basis", "a step longer than 2/L: the squares do not rise (one entry)")
def too_long(x, w, h, mu):
    new = w + mu * (x - w * h) * h
    return [h > 0, mu * h**2 > 2], (x - new * h) ** 2 <= (x - w * h) ** 2


@error(
    "sparse_basis",
    "λ in the denominator, then length one: J does not rise (one column)",
)
def in_the_denominator(x, y, h, length, lam):
    """The column (3, 4)/5 has length one; after the step its length is divided out."""
    column = (z3.Q(3, 5), z3.Q(4, 5))
    data = (x, y)
    update = [w * a * h / (w * h**2 + lam) for w, a in zip(column, data, strict=True)]
    given = [
        x > 0,
        y > 0,
        h > 0,
        lam > 0,
        length > 0,
        length**2 == sum(w**2 for w in update),
    ]

    def objective(W, total):
        fit = sum((a - w * h) ** 2 for a, w in zip(data, W, strict=True)) / 2
        return fit + lam * total

    after = objective(update, sum(update) / length)
    return given, after <= objective(column, sum(column))


@error("sparse_basis", "J measured before the division: it does not rise (one column)")
def measured_too_early(x, y, p, q, length, h, lam):
    given = [p >= 0, q >= 0, length > 0, length**2 == p**2 + q**2, h > 0, lam > 0]

    def objective(*w):
        return ((x - w[0] * h) ** 2 + (y - w[1] * h) ** 2) / 2 + lam * (w[0] + w[1])

    before = objective(z3.Q(3, 5), z3.Q(4, 5))
    return [*given, objective(p, q) <= before], objective(
        p / length, q / length
    ) <= before


def two_samples(x, y, h, k, lam):
    return ((x - h) ** 2 + (y - k) ** 2) / 2 + lam * (h - k) ** 2 / 2


@error("supervised", "D and A exchanged: the objective does not rise (two samples)")
def graph_exchanged(x, y, h, k, lam):
    new = h * (x + lam * h) / (h + lam * k), k * (y + lam * k) / (k + lam * h)
    given = [n > 0 for n in (x, y, h, k, lam)]
    return given, two_samples(x, y, *new, lam) <= two_samples(x, y, h, k, lam)


@error("supervised", "2μ in the place of μ: the objective does not rise (two samples)")
def unscaled_graph(x, y, h, k, lam):
    new = (
        h * (x + 2 * lam * k) / (h + 2 * lam * h),
        k * (y + 2 * lam * h) / (k + 2 * lam * k),
    )
    given = [n > 0 for n in (x, y, h, k, lam)]
    return given, two_samples(x, y, *new, lam) <= two_samples(x, y, h, k, lam)


@error("supervised_printed", "a parabola of the right curvature lies above u⁴")
def taylor(u):
    return [], u**4 <= 1 + 4 * (u - 1) + 6 * (u - 1) ** 2


@error(
    "supervised_printed", "the mended parabola lies above for all entries (two samples)"
)
def all_entries_at_once(h, k, old, k_old):
    step = h - old
    k_step = k - k_old
    parabola = (old - k_old) ** 2 / 2 + (old - k_old) * (step - k_step)
    return [], (h - k) ** 2 / 2 <= parabola + (step**2 + k_step**2) / 2


@error(
    "truncated_cauchy",
    "line 7 as printed: with Cauchy's weight on an outlier the line is above",
)
def outliers_return(u, v, s):
    """Above the threshold all values are one, so no logarithm is asked."""
    return [u > s, v > s, s > 0], below(lambda u: 0, 1 / (1 + v), u, v)


@error(
    "faster, robust_nmf", "cleaned once: what fits the cleaned data better errs less"
)
def cleaned_once(x, first, old, new, q):
    m = q * x + (1 - q) * first
    given = [q > 0, q < 1, (m - new) ** 2 <= (m - old) ** 2]
    return given, size(x - new) <= size(x - old)


@error("faster", "G one pass behind: the squares do not rise (one entry)")
def stale_gram(m, w, w_before, h):
    new = w * m / w_before**2
    return [m > 0, w > 0, w_before > 0, h >= 0], (m - w * new) ** 2 <= (m - w * h) ** 2


@refutation(
    "truncated_cauchy",
    "CIM's weight without its minus: the line lies above (every v > 0, axiom of exp)",
)
def growing_weights_fail(v):
    """With the weight exp(+v/2) of CIM the line passes below the loss at u = 0."""
    given = [v > 0, exp(0) == 1, *exp_axiom(-v / 2, 0), *exp_axiom(v / 2, 0)]
    return given, z3.Not(below(cim, exp(v / 2), z3.RealVal(0), v))


@refutation(
    "engine_identities",
    "CIM's weight squared: the line lies above (every v > 0, axiom of exp)",
)
def squared_weights_fail(v, delta):
    """With the square of CIM's weight the line passes below the loss at u = v + 2δ, δ small."""
    u = v + 2 * delta
    weight = exp(-v / 2)
    given = [v > 0, delta > 0, (1 + delta) * weight < 1, *exp_axiom(-v / 2, -u / 2)]
    return given, z3.Not(below(cim, weight**2, u, v))
