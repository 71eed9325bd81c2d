"""R14: the loss of an attention window differs from B^2 + eps (V + sigma^2) by at most the bound of
`theory`, for every prompt length.

The class is given by features: f(x) is a sum of F_i(x) with uncorrelated coefficients of variance
1, so that E (f(x) - sum gamma_k f(x_k))^2 = |F(x) - sum gamma_k F(x_k)|^2, and E f(x)f(y) = sum
F_i(x) F_i(y). The weights of attention are e^{a.x_k} with a = 2w x.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind, instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, root, schwarz_of_bounds, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, equal, integrate, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Defined, Function, Op, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import second_moment, sums
from proofs_check.derivations.softmax_average import (
    S_L,
    S,
    expectation,
    f,
    i,
    k,
    l,
    m,
    m0,
    mean,
    over,
    prompt,
    q,
    t,
    total,
    w,
)

Pair = tuple[Theorem, Theorem]
n = Variable("n", Sort.INDEX)
y, size, half_ = Variable("y", range=REALS), Variable("K_", range=NONNEGATIVE), Fraction(1, 2)
positive = Variable("u", range=POSITIVE)
#: The features of the tokens and of the query, the noise, and the variance v of the class.
F, F_x = Function("F", (Sort.INDEX, Sort.TOKEN), None), Function("F_x", (Sort.INDEX,))
noise, variance = Variable("sigma2", range=NONNEGATIVE), Variable("v", range=NONNEGATIVE)
#: The average of the features under the tilted law, a token about it, and its squared length v(t).
centre = mean(w * F(i, k)) / m0
about = F(i, k) - centre
v_t = over(i, m, about**2)
#: eps = E W^2/(n (E W)^2), B^2 and eps V = E W^2 v(t)/(n (E W)^2).
eps = Defined("eps", q / (L * m0**2))
B2 = Defined("B2", over(i, m, (F_x(i) - centre) ** 2))
m2, m4, q2 = Defined("m2", mean(w**2 * v_t)), Defined("m4", mean(w**4 * v_t**2)), Defined("q2", mean(w**4))
V = m2 / q
spread = Defined("epsV", m2 / (L * m0**2))
tau, tau_0 = Variable("tau", range=NONNEGATIVE), q2 / (L * q**2)
#: U, the numerator of the error and its products, and the sum of the squared weights.
U = Defined("U", S_L / S)
N = total(w * about) / S
cross, square = Defined("c", over(i, m, (F_x(i) - centre) * N)), Defined("Q", over(i, m, N**2))
squares = Defined("T", total(w**2) / S**2)
gap, root_Q, root_B = sqrt((1 - U) ** 2), sqrt(square), sqrt(B2)
good, bad = Op("ind", (U - half_,)), Op("above", (half_ - U,))
g = exp(-L * m0**2 / (16 * q))
#: What is lost: the error of the average, and the sum of the squares of the weights.
error = over(i, m, (F_x(i) - total(w * F(i, k)) / S_L) ** 2)
weights_squared = total(w**2) / S_L**2
loss = expectation(error + noise * weights_squared)


@cache
def definition_of_tau() -> Theorem:
    """tau n (E W^2 v)^2 = E W^4 v^2."""
    return assume("tau = E W^4 v^2/(n (E W^2 v)^2)", m4, "==", tau * L * m2**2)


@cache
def of_the_class() -> Theorem:
    """E (f(x) - f(x_k))^2 = 2 sum b_k (1 - P_k) <= 4 v."""
    return assume(
        "E (f(x) - f(x_k))^2 <= 4v", over(i, m, (F_x(i) - F(i, k)) ** 2), "<=", 4 * variance, every=(k,)
    )


@cache
def rare() -> Theorem:
    """P(U < 1/2) <= e^{-1/(8 eps)}, by Chernoff's method with e^{-y} <= 1 - y + y^2/2."""
    point = specialise(
        arithmetic(Op("above", (y,)), "<=", exp(positive * y)), {y: half_ - U, positive: t * S}
    )
    laplace = mean(exp(-t * w))
    tail = integrated("prompt", (prompt,), point, expectation(bad), exp(t * S / 2) * laplace**L)
    parabola = specialise(arithmetic(exp(-positive), "<=", 1 - positive + positive**2 / 2), {positive: t * w})
    parabola = integrated("mean", (k,), parabola, laplace, 1 - t * m0 + t**2 * q / 2)
    single = chain(parabola, specialise(arithmetic(1 + y, "<=", exp(y)), {y: -t * m0 + t**2 * q / 2}))
    tail = chain(tail, replace(tail.rhs, single), exp(-t * L * m0 / 2 + t**2 * L * q / 2))
    return chain(specialise(tail, {t: m0 / (2 * q)}), g**2)


@cache
def near_one() -> Theorem:
    """E (1 - U)^2 <= eps."""
    same = equal(expectation((1 - U) ** 2), (q - m0**2) / (L * m0**2))
    return chain(same, arithmetic(same.rhs, "<=", q / (L * m0**2)), eps)


@cache
def first_moments() -> tuple[Theorem, Theorem]:
    """E c = 0 and E Q = eps V, since W(F - r) is centred."""
    return equal(expectation(cross), 0), equal(expectation(square), spread)


@cache
def second_moment_of_the_square() -> Theorem:
    """E Q^2 <= (3 + tau)(eps V)^2: E|sum X|^4 = n m4 + n(n - 1)(m2^2 + 2 s) with s <= m2^2."""
    at = {sums.X: ((i, k), w * about)}
    fourth = specialise(equal(sums.N4, sums.fourth_power().rhs), at)
    pairs = specialise(cauchy_schwarz("mean", (k,), sums.centred(i), sums.centred(n)), at)
    pairs = integrate("coordinates", (i,), integrate("coordinates", (n,), pairs, (m,)), (m,))
    mixed = Defined("s2", pairs.lhs)
    mixed_ = chain(mixed, pairs, m2**2)
    scale = 1 / (L * m0) ** 4
    both = L * m4 + L * (L - 1) * (m2**2 + 2 * mixed)
    less = arithmetic(both, "<=", L * m4 + 3 * L**2 * m2**2, mixed_)
    whole = chain(expectation(square**2), scale * fourth.lhs, scale * both, replace(scale * both, less))
    last = arithmetic(whole.rhs, "==", (3 + tau) * (m2 / (L * m0**2)) ** 2, definition_of_tau())
    return chain(whole, last, (sqrt(3 + tau) * spread) ** 2)


@cache
def moments_of_the_squares() -> tuple[Theorem, Theorem]:
    """E T = eps and E T^2 <= (1 + tau_0) eps^2 for T = sum W^2/(n E W)^2."""
    first = equal(expectation(squares), eps)
    second = equal(expectation(squares**2), (L * q2 + L * (L - 1) * q**2) / (L * m0) ** 4)
    less = arithmetic(second.rhs, "<=", (1 + tau_0) * (q / (L * m0**2)) ** 2)
    return first, chain(second, less, (sqrt(1 + tau_0) * eps) ** 2)


def _of_U(value: Term, factor: int) -> Pair:
    """|X| <= factor |1 - U| for X = 1{U >= 1/2} (value - 1), both signs."""
    event, distance = Op("ind", (positive - half_,)), sqrt((1 - positive) ** 2)
    lemma = lambda sign: arithmetic(sign * event * (value - 1), "<=", factor * distance)
    return specialise(lemma(1), {positive: U}), specialise(lemma(-1), {positive: U})


def _product(X: Term, K: Term, first: Pair, Y: Term, E: Term, second: Pair) -> Pair:
    """|X Y| <= K E from |X| <= K and |Y| <= E, for both signs."""
    first, second = ((chain(Z, up), chain(-Z, down)) for Z, (up, down) in ((X, first), (Y, second)))
    out = []
    for sign in (1, -1):
        signs = ((K - X, E + sign * Y), (K + X, E - sign * Y))
        parts = []
        for of_X, of_Y in signs:
            ends = (
                arithmetic(0, "<=", of_X, *first, hide=(X, K)),
                arithmetic(0, "<=", of_Y, *second, hide=(Y, E)),
            )
            parts.append(arithmetic(0, "<=", of_X * of_Y, *ends, hide=(of_X, of_Y)))
        both = arithmetic(
            0, "<=", parts[0].rhs + parts[1].rhs, *parts, hide=tuple(part.rhs for part in parts)
        )
        both = chain(both, 2 * (K * E - sign * (X * Y)))
        out.append(arithmetic(sign * (X * Y), "<=", K * E, both, hide=(X * Y, K * E)))
    return out[0], out[1]


@cache
def size_of_the_cross_term() -> tuple[Theorem, Theorem]:
    """|c| <= B sqrt(Q), by the Cauchy-Schwarz inequality."""
    schwarz = cauchy_schwarz("coordinates", (i,), F_x(i) - centre, N, (m,))
    schwarz = chain(cross**2, schwarz, B2 * square)
    size = root(schwarz, sqrt(cross**2), root_B * root_Q)
    up, down = (
        chain(arithmetic(sign * cross, "<=", sqrt(cross**2), hide=(cross,)), size) for sign in (1, -1)
    )
    return up, down


#: 1{U >= 1/2} (1/U - 1), and the same of the square.
once, twice = good * (1 / U - 1), good * (1 / U**2 - 1)


@cache
def likely() -> Pair:
    """|1{U >= 1/2} c(1/U - 1)| <= 2B sqrt(Q)|1 - U|, for both signs."""
    return _product(cross, root_B * root_Q, size_of_the_cross_term(), once, 2 * gap, _of_U(1 / positive, 2))


def _times(X: Term) -> Pair:
    """|1{U >= 1/2} X(1/U^2 - 1)| <= 6 X |1 - U| for X >= 0, for both signs."""
    up, down = (chain(Z, thm) for Z, thm in zip((twice, -twice), _of_U(1 / positive**2, 6)))
    scaled = lambda sign, thm: arithmetic(
        sign * (X * twice), "<=", X * thm.rhs, thm, hide=(X, twice, thm.rhs)
    )
    return scaled(1, up), scaled(-1, down)


#: The error to the second order, and what is left of it.
P, K = B2 - 2 * cross + square, root_B * root_Q
rest = 4 * K * gap + 6 * square * gap + bad * (4 * variance + B2 + 2 * K + square)
rest_noise = 6 * squares * gap + bad * (1 + squares)


@cache
def split_of_the_error() -> Pair:
    """error <= P + rest, and P <= error + rest."""
    whole = equal(error, B2 - 2 * cross / U + square / U**2)
    parts = good * P - 2 * (cross * once) + square * twice
    main = chain(good * error, arithmetic(good * error, "==", parts, whole, hide=(error, U)), parts)
    (c_up, c_down), (Q_up, Q_down), (up, down) = likely(), _times(square), size_of_the_cross_term()
    X, Y = cross * once, square * twice
    known = (
        chain(X, c_up, 2 * K * gap),
        chain(-X, c_down, 2 * K * gap),
        chain(Y, Q_up, 6 * square * gap),
        chain(-Y, Q_down, 6 * square * gap),
    )
    size = (chain(cross, up, K), chain(-cross, down, K))
    hide = (X, Y, good * error, good * P, square, K, gap)
    near = 4 * K * gap + 6 * square * gap
    above = arithmetic(good * error, "<=", good * P + near, main, *known, hide=hide)
    below = arithmetic(good * P, "<=", good * error + near, main, *known, hide=hide)
    # On the rare prompts the error is an average of at most 4v, and P is at least -2K.
    low = arithmetic(-2 * K, "<=", P, *size, hide=(cross, square, B2, K))
    high = arithmetic(P, "<=", B2 + 2 * K + square, *size, hide=(cross, square, B2, K))
    least, most = (
        arithmetic(bad * thm.lhs, "<=", bad * thm.rhs, thm, hide=(bad, P, square, B2, K))
        for thm in (low, high)
    )
    first = chain(error, replace(good * error + bad * error, above, replace(bad * error, average())))
    pulled = P + near + bad * (4 * variance) - bad * P
    first = chain(first, pulled, replace(pulled, least))
    first = chain(
        first,
        P + near + bad * (4 * variance + 2 * K),
        _more(P + near + bad * (4 * variance + 2 * K), P + rest),
    )
    other = chain(P, replace(good * P + bad * P, below, most))
    event = arithmetic(good * error, "<=", error, hide=(error,))
    other = chain(other, replace(other.rhs, event))
    return first, chain(
        other,
        error + near + bad * (B2 + 2 * K + square),
        _more(error + near + bad * (B2 + 2 * K + square), error + rest),
    )


def _more(less: Term, more: Term) -> Theorem:
    """What has more terms that are not negative is larger."""
    return arithmetic(less, "<=", more, hide=(error, P, K, gap, square, B2, bad))


@cache
def average() -> Theorem:
    """error <= 4v: the average of the features is as near to F(x) as the tokens are in mean."""
    off = F_x(i) - F(i, k)
    mean_square = specialise(second_moment.average_of_vectors(), {f: ((i, k), off)})
    of_one = replace(w * over(i, m, off**2), of_the_class())
    of_all = integrate("sum", (k,), of_one, (prompt,))
    start = chain(
        error, mean_square.lhs / S_L**2, replace(mean_square.lhs / S_L**2, mean_square), of_all.lhs / S_L
    )
    return chain(start, replace(of_all.lhs / S_L, of_all), 4 * variance)


@cache
def split_of_the_noise() -> Pair:
    """sum gamma^2 <= T + rest, and T <= sum gamma^2 + rest."""
    whole = equal(weights_squared, squares / U**2)
    parts = good * squares + squares * twice
    main = arithmetic(good * weights_squared, "==", parts, whole, hide=(weights_squared, U))
    up, down = _times(squares)
    Y, near = squares * twice, 6 * squares * gap
    known = chain(Y, up, near), chain(-Y, down, near)
    hide = (good * weights_squared, good * squares, Y, squares, gap)
    above = arithmetic(good * weights_squared, "<=", good * squares + near, main, *known, hide=hide)
    below = arithmetic(good * squares, "<=", good * weights_squared + near, main, *known, hide=hide)
    pairs = bind("sum", (k, l), w * instantiated(w, {k: l}), (prompt,))
    all_ = equal(S_L**2, total(w**2) + pairs)
    one = arithmetic(
        weights_squared,
        "<=",
        1,
        chain(total(w**2), arithmetic(total(w**2), "<=", total(w**2) + pairs), all_.lhs),
        hide=(total(w**2),),
    )
    more = lambda less, other: arithmetic(less, "<=", other, hide=(squares, gap, weights_squared))
    first = chain(
        weights_squared,
        replace(good * weights_squared + bad * weights_squared, above, replace(bad * weights_squared, one)),
    )
    first = chain(first, more(first.rhs, squares + rest_noise))
    other = chain(squares, replace(good * squares + bad * squares, below))
    return first, chain(other, more(other.rhs, weights_squared + rest_noise))


@cache
def means_of_the_rest() -> tuple[Theorem, ...]:
    """The means of sqrt(Q)|1 - U|, Q|1 - U|, T|1 - U| and of what stands on the rare prompts, by
    the Cauchy-Schwarz inequality.
    """
    of_Q, of_T = first_moments()[1], moments_of_the_squares()
    root_of_Q = chain(expectation(root_Q**2), of_Q, sqrt(spread) ** 2)
    distance = chain(expectation(gap**2), near_one(), sqrt(eps) ** 2)
    event = chain(expectation(bad**2), rare(), g**2)
    large = sqrt(3 + tau) * spread, sqrt(1 + tau_0) * eps
    values = (
        (root_Q, root_of_Q, sqrt(spread)),
        (square, second_moment_of_the_square(), large[0]),
        (squares, of_T[1], large[1]),
    )
    out = []
    for other, thm, size in ((gap, distance, sqrt(eps)), (bad, event, g)):
        for X, of_X, bound in values:
            out.append(schwarz_of_bounds("prompt", (prompt,), X, other, of_X, thm, bound, size))
    small = arithmetic(g**2, "<=", g)
    return (*out, chain(rare(), small))


#: The bound of `theory`, with eps V in place of its product.
rare_part = (
    4 * variance
    + B2
    + 2 * root_B * sqrt(spread)
    + sqrt(9 + 3 * tau) * spread
    + (1 + eps * sqrt(1 + tau_0)) * noise
)
error_bound = (
    4 * root_B * sqrt(spread) * sqrt(eps)
    + 6 * sqrt(9 + 3 * tau) * spread * sqrt(eps)
    + 6 * sqrt(1 + tau_0) * eps * sqrt(eps) * noise
    + g * rare_part
)
unified = B2 + spread + eps * noise


@cache
def mean_of_the_rest() -> Theorem:
    """E (rest + sigma^2 rest of the noise) <= the bound."""
    parts = means_of_the_rest()
    (A, Q, T, A_, Q_, T_, event) = (part.lhs for part in parts)
    split = (
        4 * root_B * A
        + 6 * Q
        + (4 * variance + B2) * event
        + 2 * root_B * A_
        + Q_
        + noise * (6 * T + event + T_)
    )
    whole = chain(expectation(rest + noise * rest_noise), split, replace(split, *parts))
    wider = arithmetic(sqrt(3 + tau), "<=", sqrt(9 + 3 * tau))
    return chain(whole, replace(whole.rhs, wider), error_bound)


@cache
def theorem() -> Pair:
    """loss <= B^2 + eps (V + sigma^2) + the bound, and the other way round."""
    error_, noise_ = split_of_the_error(), split_of_the_noise()
    more, less = P + noise * squares, rest + noise * rest_noise
    of_c, of_Q = first_moments()
    of_T = moments_of_the_squares()[0]
    known = chain(
        expectation(more), B2 - 2 * expectation(cross) + expectation(square) + noise * expectation(squares)
    )
    hide = (expectation(cross), expectation(square), expectation(squares))
    known = chain(known, arithmetic(known.rhs, "==", unified, of_c, of_Q, of_T, hide=hide))
    point = replace(error + noise * weights_squared, error_[0], noise_[0])
    above = chain(integrate("prompt", (prompt,), chain(point, more + less)), known.lhs + expectation(less))
    above = chain(
        above, replace(above.rhs, mean_of_the_rest()), replace(known.lhs + error_bound, _at_most(known))
    )
    parts = ((error_[1], error, rest), (noise_[1], weights_squared, rest_noise))
    apart = [
        arithmetic(thm.lhs - more_, "<=", value, thm, hide=(thm.lhs, value, more_))
        for thm, value, more_ in parts
    ]
    below = replace(P - rest + noise * (squares - rest_noise), *apart)
    below = chain(more - less, below)
    below = chain(known.lhs - expectation(less), integrate("prompt", (prompt,), below))
    small = arithmetic(
        known.lhs - error_bound,
        "<=",
        known.lhs - expectation(less),
        mean_of_the_rest(),
        hide=(known.lhs, expectation(less), error_bound),
    )
    below = chain(
        arithmetic(
            unified - error_bound, "==", known.lhs - error_bound, known, hide=(known.lhs, error_bound)
        ),
        small,
        below,
    )
    return above, below


def _at_most(same: Theorem) -> Theorem:
    """X <= Y from X = Y."""
    return replace(same.lhs, same)


def statements(share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The loss is at most B^2 + eps (V + sigma^2) + share times the bound, and at least the
    difference.
    """
    given = definition_of_tau().assumptions | of_the_class().assumptions
    more = Fraction(share) * error_bound
    return Statement(loss, "<=", unified + more, given), Statement(unified - more, "<=", loss, given)
