"""R14: the loss of an attention window differs from B^2 + eps (V + sigma^2) by at most the bound of
`theory`, for every prompt length.

The class is given by features: f(x) is a sum of F_i(x) with uncorrelated coefficients of variance
1, so that E (f(x) - sum gamma_k f(x_k))^2 = |F(x) - sum gamma_k F(x_k)|^2, and E f(x)f(y) = sum
F_i(x) F_i(y). The weights of attention are e^{a.x_k} with a = 2w x.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, root, schwarz_of_bounds, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average import second_moment, sums
from proofs_check.derivations.softmax_average.softmax_average import (
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
    point = instantiate(
        arithmetic(Op("above", (y,)), "<=", exp(positive * y)), {y: half_ - U, positive: t * S}
    )
    laplace, second = mean(exp(-t * w)), -t * m0 + t**2 * q / 2
    parabola = instantiate(
        arithmetic(exp(-positive), "<=", 1 - positive + positive**2 / 2), {positive: t * w}
    )
    single = calc(
        laplace,
        ("<=", 1 - t * m0 + t**2 * q / 2, parabola),
        ("<=", exp(second), instantiate(arithmetic(1 + y, "<=", exp(y)), {y: second})),
    )
    tail = calc(
        integrated("prompt", (prompt,), point, expectation(bad), exp(t * S / 2) * laplace**L),
        ("<=", exp(-t * L * m0 / 2 + t**2 * L * q / 2), single),
    )
    return chain(instantiate(tail, {t: m0 / (2 * q)}), g**2)


@cache
def near_one() -> Theorem:
    """E (1 - U)^2 <= eps."""
    return calc(
        expectation((1 - U) ** 2), ("==", (q - m0**2) / (L * m0**2)), ("<=", q / (L * m0**2)), ("==", eps)
    )


@cache
def second_moment_of_the_square() -> Theorem:
    """E Q^2 <= (3 + tau)(eps V)^2: E|sum X|^4 = n m4 + n(n - 1)(m2^2 + 2 s) with s <= m2^2."""
    at = {sums.X: ((i, k), w * about)}
    fourth = instantiate(equal(sums.N4, sums.fourth_power().rhs), at)
    pairs = instantiate(cauchy_schwarz("mean", (k,), sums.centred(i), sums.centred(n)), at)
    pairs = integrate("coordinates", (i,), integrate("coordinates", (n,), pairs, (m,)), (m,))
    mixed = Defined("s2", pairs.lhs)
    both, scale = L * m4 + L * (L - 1) * (m2**2 + 2 * mixed), 1 / (L * m0) ** 4
    less = arithmetic(both, "<=", L * m4 + 3 * L**2 * m2**2, chain(mixed, pairs, m2**2))
    return calc(
        chain(expectation(square**2), scale * fourth.lhs, scale * both, gcongr(scale * both, less)),
        ("==", (3 + tau) * (m2 / (L * m0**2)) ** 2, definition_of_tau()),
        ("==", (sqrt(3 + tau) * spread) ** 2),
    )


@cache
def second_moment_of_the_weights() -> Theorem:
    """E T^2 <= (1 + tau_0) eps^2 for T = sum W^2/(n E W)^2."""
    return calc(
        expectation(squares**2),
        ("==", (L * q2 + L * (L - 1) * q**2) / (L * m0) ** 4),
        ("<=", (1 + tau_0) * (q / (L * m0**2)) ** 2),
        ("==", (sqrt(1 + tau_0) * eps) ** 2),
    )


def _of_U(value: Term, factor: int) -> Pair:
    """|X| <= factor |1 - U| for X = 1{U >= 1/2} (value - 1), both signs."""
    event, distance = Op("ind", (positive - half_,)), sqrt((1 - positive) ** 2)
    lemma = lambda sign: arithmetic(sign * event * (value - 1), "<=", factor * distance)
    return instantiate(lemma(1), {positive: U}), instantiate(lemma(-1), {positive: U})


def _product(X: Term, K: Term, first: Pair, Y: Term, E: Term, second: Pair) -> Pair:
    """|X Y| <= K E from |X| <= K and |Y| <= E, by (K - X)(E + Y) >= 0 and (K + X)(E - Y) >= 0."""
    of_X, of_Y = ((chain(Z, up), chain(-Z, down)) for Z, (up, down) in ((X, first), (Y, second)))

    def one(sign: int) -> Theorem:
        parts = []
        for a, b in ((K - X, E + sign * Y), (K + X, E - sign * Y)):
            ends = show(0, "<=", a, *of_X, X, K), show(0, "<=", b, *of_Y, Y, E)
            parts.append(show(0, "<=", a * b, *ends, a, b))
        both = show(0, "<=", parts[0].rhs + parts[1].rhs, *parts, *(part.rhs for part in parts))
        return show(sign * (X * Y), "<=", K * E, chain(both, 2 * (K * E - sign * (X * Y))), X * Y, K * E)

    return one(1), one(-1)


@cache
def size_of_the_cross_term() -> Pair:
    """|c| <= B sqrt(Q), by the Cauchy-Schwarz inequality."""
    schwarz = cauchy_schwarz("coordinates", (i,), F_x(i) - centre, N, (m,))
    size = root(chain(cross**2, schwarz, B2 * square), sqrt(cross**2), root_B * root_Q)
    up, down = (chain(show(sign * cross, "<=", sqrt(cross**2), cross), size) for sign in (1, -1))
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
    scaled = lambda sign, thm: show(sign * (X * twice), "<=", X * thm.rhs, thm, X, twice, thm.rhs)
    return scaled(1, up), scaled(-1, down)


#: The error to the second order, and what is left of it.
P, K = B2 - 2 * cross + square, root_B * root_Q
rest = 4 * K * gap + 6 * square * gap + bad * (4 * variance + B2 + 2 * K + square)
rest_noise = 6 * squares * gap + bad * (1 + squares)


@cache
def split_of_the_error() -> Pair:
    """error <= P + rest, and P <= error + rest."""
    X, Y, near = cross * once, square * twice, 4 * K * gap + 6 * square * gap
    whole = equal(error, B2 - 2 * cross / U + square / U**2)
    main = show(good * error, "==", good * P - 2 * X + Y, whole, error, U)
    (c_up, c_down), (Q_up, Q_down), (up, down) = likely(), _times(square), size_of_the_cross_term()
    known = (chain(X, c_up), chain(-X, c_down), chain(Y, Q_up), chain(-Y, Q_down))
    letters = (X, Y, good * error, good * P, square, K, gap)
    above = show(good * error, "<=", good * P + near, main, *known, *letters)
    below = show(good * P, "<=", good * error + near, main, *known, *letters)
    # On the rare prompts the error is an average of at most 4v, and P is at least -2K.
    size = chain(cross, up, K), chain(-cross, down, K)
    low = show(-2 * K, "<=", P, *size, cross, square, B2, K)
    high = show(P, "<=", B2 + 2 * K + square, *size, cross, square, B2, K)
    least, most = (
        show(bad * thm.lhs, "<=", bad * thm.rhs, thm, bad, P, square, B2, K) for thm in (low, high)
    )
    pulled = P + near + bad * (4 * variance) - bad * P
    wide, wider = 4 * variance + 2 * K, B2 + 2 * K + square
    small = error, P, K, gap, square, B2, bad
    return (
        calc(
            chain(error, gcongr(good * error + bad * error, above, gcongr(bad * error, average())), pulled),
            ("<=", P + near + bad * wide, least),
            ("<=", P + rest, *small),
        ),
        calc(
            chain(P, gcongr(good * P + bad * P, below, most)),
            ("<=", error + near + bad * wider, show(good * error, "<=", error, error)),
            ("<=", error + rest, *small),
        ),
    )


@cache
def average() -> Theorem:
    """error <= 4v: the average of the features is as near to F(x) as the tokens are in mean."""
    off = F_x(i) - F(i, k)
    mean_square = instantiate(second_moment.average_of_vectors(), {f: ((i, k), off)})
    of_all = integrate("sum", (k,), gcongr(w * over(i, m, off**2), of_the_class()), (prompt,))
    return chain(
        error, gcongr(mean_square.lhs / S_L**2, mean_square), gcongr(of_all.lhs / S_L, of_all), 4 * variance
    )


@cache
def split_of_the_noise() -> Pair:
    """sum gamma^2 <= T + rest, and T <= sum gamma^2 + rest."""
    Y, near = squares * twice, 6 * squares * gap
    main = show(good * weights_squared, "==", good * squares + Y)
    up, down = _times(squares)
    known = chain(Y, up, near), chain(-Y, down, near)
    letters = (good * weights_squared, good * squares, Y, squares, gap)
    above = show(good * weights_squared, "<=", good * squares + near, main, *known)
    below = show(good * squares, "<=", good * weights_squared + near, main, *known, *letters)
    pairs = bind("sum", (k, l), w * instantiated(w, {k: l}), (prompt,))
    all_ = calc(total(w**2), ("<=", total(w**2) + pairs), ("==", S_L**2))
    one = show(weights_squared, "<=", 1, all_, total(w**2))
    parts = gcongr(good * weights_squared + bad * weights_squared, above, gcongr(bad * weights_squared, one))
    small = squares, gap, weights_squared
    return (
        calc(chain(weights_squared, parts), ("<=", squares + rest_noise, *small)),
        calc(
            chain(squares, gcongr(good * squares + bad * squares, below)),
            ("<=", weights_squared + rest_noise, *small),
        ),
    )


@cache
def means_of_the_rest() -> tuple[Theorem, ...]:
    """The means of sqrt(Q)|1 - U|, Q|1 - U|, T|1 - U| and of what stands on the rare prompts, by
    the Cauchy-Schwarz inequality.
    """
    factors = (
        (gap, chain(expectation(gap**2), near_one(), sqrt(eps) ** 2), sqrt(eps)),
        (bad, chain(expectation(bad**2), rare(), g**2), g),
    )
    values = (
        (root_Q, equal(expectation(root_Q**2), sqrt(spread) ** 2), sqrt(spread)),
        (square, second_moment_of_the_square(), sqrt(3 + tau) * spread),
        (squares, second_moment_of_the_weights(), sqrt(1 + tau_0) * eps),
    )
    means = (
        schwarz_of_bounds("prompt", (prompt,), X, other, of_X, thm, bound, size)
        for other, thm, size in factors
        for X, of_X, bound in values
    )
    return (*means, chain(rare(), arithmetic(g**2, "<=", g)))


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
    likely_ = 4 * root_B * A + 6 * Q
    rarely = (4 * variance + B2) * event + 2 * root_B * A_ + Q_
    split = likely_ + rarely + noise * (6 * T + event + T_)
    whole = chain(expectation(rest + noise * rest_noise), gcongr(split, *parts))
    wider = arithmetic(sqrt(3 + tau), "<=", sqrt(9 + 3 * tau))
    return chain(whole, gcongr(whole.rhs, wider), error_bound)


def statements(share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The loss is at most B^2 + eps (V + sigma^2) + share times the bound, and at least the
    difference.
    """
    given = definition_of_tau().assumptions | of_the_class().assumptions
    more = Fraction(share) * error_bound
    return Statement(loss, "<=", unified + more, given), Statement(unified - more, "<=", loss, given)


@cache
def theorem() -> Pair:
    """loss <= B^2 + eps (V + sigma^2) + the bound, and the other way round."""
    (error_up, error_down), (noise_up, noise_down) = split_of_the_error(), split_of_the_noise()
    more, less = P + noise * squares, rest + noise * rest_noise
    known = equal(expectation(more), unified)
    point = chain(gcongr(error + noise * weights_squared, error_up, noise_up), more + less)
    above = chain(integrate("prompt", (prompt,), point), known.lhs + expectation(less))
    above = chain(
        above,
        gcongr(above.rhs, mean_of_the_rest()),
        gcongr(known.lhs + error_bound, gcongr(known.lhs, known)),
    )
    apart = [
        show(thm.lhs - more_, "<=", value, thm, thm.lhs, value, more_)
        for thm, value, more_ in ((error_down, error, rest), (noise_down, weights_squared, rest_noise))
    ]
    point = chain(more - less, gcongr(P - rest + noise * (squares - rest_noise), *apart))
    E = expectation(less)
    below = calc(
        unified - error_bound,
        ("==", known.lhs - error_bound),
        ("<=", known.lhs - E, mean_of_the_rest(), known.lhs, E, error_bound),
    )
    return above, chain(below, integrate("prompt", (prompt,), point))
