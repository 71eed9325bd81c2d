"""P3.1 with explicit constants: the error of the output averaged over prompt and query."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, interpolated, log, root, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import second_moment, weighted_query
from proofs_check.derivations.softmax_average.softmax_average import (
    R_L,
    S_L,
    a,
    a2,
    d,
    expectation,
    f,
    i,
    j,
    k,
    m,
    m0,
    mean,
    over,
    prompt,
    r,
    score,
    sigma,
    sub_gaussian,
    total,
    w,
    z,
)
from proofs_check.derivations.softmax_average.tilted import (
    QUERY,
    TOKEN,
    excess,
    h,
    moment_of_the_norm,
    part_,
    power_below_its_tangent,
    quarter,
    query,
    sub_gaussian_query,
    tilted_moment,
    u,
    y,
)
from theory.bounds.query_average import gradient_V_average, output_average

size_ = Variable("s", range=NONNEGATIVE)
theta = Variable("theta", range=Range(Fraction(0), Fraction(1), False, False))
U = Function("U", (Sort.INDEX, Sort.INDEX))
V = Function("V", (Sort.INDEX, Sort.INDEX))
b = Function("b", (Sort.INDEX,))
norm_U, norm_V = (Variable(name, range=NONNEGATIVE) for name in ("normU", "normV"))
l = Variable("l", Sort.INDEX)
#: f(z) = z, and its error at a fixed query.
with_z = {f: ((i, k), z(i, k))}
fixed_residual = instantiated(R_L / S_L - r, with_z)
fixed_error = over(i, d, fixed_residual**2)


def of_the_tokens(thm: Theorem) -> Theorem:
    """The theorem for f(z) = z."""
    return instantiate(thm, {**with_z, m: d})


def operator_norm(A: Function, norm: Variable, rows: Variable) -> Theorem:
    """|A b| <= |A| |b| for every vector b: the definition of the operator norm."""
    image = over(i, rows, over(l, d, A(i, l) * b(l)) ** 2)
    return assume(
        f"|{A.name}| is its operator norm", image, "<=", norm**2 * over(l, d, b(l) ** 2), every=(b,)
    )


largest = sigma**2 * (300 * (1 + h) + 8 * log(L) + 8 * a2)


@cache
def rate() -> Theorem:
    """E|err|^2 <= 300 sigma^2 (1 + h) e^{4 a2}/L: R1 for f(z) = z."""
    size = root(moment_of_the_norm(2), sqrt(mean(TOKEN.square**2)), 4 * sigma**2 * (1 + h))
    r1 = chain(
        expectation(fixed_error),
        of_the_tokens(second_moment.theorem()),
        50 * exp(4 * a2) * sqrt(mean(TOKEN.square**2)) / L,
    )
    more = chain(r1, gcongr(r1.rhs, size))
    return chain(more, arithmetic(more.rhs, "<=", 300 * sigma**2 * (1 + h) * exp(4 * a2) / L))


@cache
def average_of_powers(q: int) -> Theorem:
    """E[sum w|z|^{2q}/S_L] <= (4 sigma^2)^q (q - 1 + ln L + h)^q for q = 1, 2, by the tangent of
    (ln y)^q as in `tilted_moment`, and because no weight is larger than S_L.
    """
    part, W = TOKEN.square / (4 * sigma**2), log(L) + h
    A = W + (q - 1)
    slope = q * A ** (q - 1) if q > 1 else term(1)
    tangent = instantiate(power_below_its_tangent(q), {part_: part, excess: W})
    tangent = chain(gcongr(w * tangent.lhs, tangent), w * (A**q - slope) + slope * exp(-W) * (w * exp(part)))
    sums = integrated(
        "sum", (k,), tangent, None, (A**q - slope) * S_L + slope * exp(-W) * total(w * exp(part)), (prompt,)
    )
    larger = second_moment.no_larger_than_the_sum(exp(part / 2))
    sums = chain(sums, (A**q - slope) * S_L + slope * exp(-W) * larger.lhs)
    sums = chain(sums, gcongr(sums.rhs, larger))
    ratio = chain(
        sums.lhs / S_L, gcongr(sums.lhs / S_L, sums), A**q - slope + slope * exp(-W) * total(exp(part))
    )
    average = integrated(
        "prompt", (prompt,), ratio, None, A**q - slope + slope * exp(-W) * L * mean(exp(part))
    )
    number = arithmetic(L * exp(-W), "==", exp(-h))
    average = chain(average, gcongr(average.rhs, quarter()), A**q - slope + slope * exp(h) * (L * exp(-W)))
    average = chain(average, gcongr(average.rhs, number), A**q)
    scaled = (4 * sigma**2) ** q * average.lhs
    return chain(expectation(total(w * TOKEN.square**q) / S_L), scaled, gcongr(scaled, average))


@cache
def size_of_the_limit() -> Theorem:
    """|R/S|^2 <= E w|Z|^2/E w <= 4 sigma^2 (h + a2), by the Cauchy-Schwarz inequality."""
    each = cauchy_schwarz("mean", (k,), exp(score / 2), exp(score / 2) * z(i, k))
    squares = integrated(
        "coordinates", (i,), each, over(i, d, mean(w * z(i, k)) ** 2), m0 * mean(w * TOKEN.square), (d,)
    )
    ratio = over(i, d, (mean(w * z(i, k)) / m0) ** 2)
    return chain(
        ratio,
        squares.lhs / m0**2,
        gcongr(squares.lhs / m0**2, squares),
        tilted_moment(1),
        4 * sigma**2 * (h + a2),
    )


@cache
def without_concentration() -> Theorem:
    """E|err|^2 <= 8 sigma^2 (ln L + 2 h + a2), as R_L/S_L and R/S are averages."""
    limit = over(i, d, (mean(w * z(i, k)) / m0) ** 2)
    hull = chain(
        fixed_error,
        of_the_tokens(second_moment.hull_bound()),
        2 * (total(w * TOKEN.square) / S_L) + 2 * limit,
    )
    bound = 2 * expectation(total(w * TOKEN.square) / S_L) + 2 * limit
    mean_of_squares = chain(
        expectation(total(w * TOKEN.square) / S_L), average_of_powers(1), 4 * sigma**2 * (log(L) + h)
    )
    average = integrated("prompt", (prompt,), hull, expectation(fixed_error), bound)
    return chain(
        average, gcongr(bound, mean_of_squares, size_of_the_limit()), 8 * sigma**2 * (log(L) + 2 * h + a2)
    )


@cache
def at_a_fixed_query() -> Theorem:
    """E|err|^2 <= M e^{theta(4 a2 - ln L)} for M = sigma^2(300(1 + h) + 8 ln L + 8 a2) and every
    theta in [0, 1], because min(e^x, 1) <= e^{theta x}.
    """
    first, second = rate(), without_concentration()
    exponent_of_x = 4 * a2 - log(L)
    long = chain(first, arithmetic(first.rhs, "<=", largest * exp(exponent_of_x)))
    short = chain(second, arithmetic(second.rhs, "<=", largest))
    return interpolated(long, short, largest, exponent_of_x, theta)


@cache
def norm_of_the_score() -> Theorem:
    """|U y|^2 <= |U|^2 |y|^2 for the query y."""
    return instantiate(operator_norm(U, norm_U, d), {b: ((l,), y(l, query))})


#: kappa = sigma^2 |U|^2, the weight lambda in (0, 1/2) of the query, 1 - 2 lambda, and theta =
#: min(1, lambda/(4 kappa)).
kappa = sigma**2 * norm_U**2
odds = Variable("u", range=POSITIVE)
lam, rest = odds / (1 + odds) / 2, 1 / (1 + odds)
slow = lam / Op("max", (lam, 4 * kappa))
#: theta with the weight 1/4.
power = 1 / Op("max", (term(1), 16 * kappa))
at_the_query = {a: ((j,), over(l, d, U(j, l) * y(l, query)))}
output_error = over(i, m, over(l, d, V(i, l) * instantiated(fixed_residual, {i: l})) ** 2)


@cache
def rate_at_a_query() -> Theorem:
    """E|err|^2 <= 300 sigma^2 (1 + h) e^{4 kappa |y|^2}/L at a query y."""
    fixed = instantiate(rate(), at_the_query)
    size = gcongr(sigma**2 * norm_of_the_score().lhs, norm_of_the_score())
    form = lambda s: 300 * sigma**2 * (1 + h) * exp(4 * s) / L
    return chain(fixed, form(size.lhs), gcongr(form(size.lhs), size), form(kappa * QUERY.square))


@cache
def at_a_query() -> Theorem:
    """E|err|^2 <= sigma^2 (300(1 + h) + 8 ln L + 8 kappa |y|^2) e^{lambda |y|^2}/L^theta at a query
    y, where theta is so small that 4 a2 theta <= lambda |y|^2.
    """
    n = QUERY.square
    fixed = instantiate(instantiate(at_a_fixed_query(), {theta: slow}), at_the_query)
    size = gcongr(sigma**2 * norm_of_the_score().lhs, norm_of_the_score())
    form = lambda s: sigma**2 * (300 * (1 + h) + 8 * log(L) + 8 * s) * exp(slow * (4 * s - log(L)))
    fixed = chain(fixed, form(size.lhs), gcongr(form(size.lhs), size))
    bracket = 300 * (1 + h) + 8 * log(L) + 8 * kappa * n
    split = sigma**2 * bracket * exp(4 * kappa * slow * n) * exp(-slow * log(L))
    light = arithmetic(4 * kappa * slow * size_, "<=", lam * size_, hide=(kappa,))
    return chain(fixed, split, gcongr(split, instantiate(light, {size_: n})))


def over_queries(at: Theorem, bound: Term) -> Theorem:
    """A bound at a query averaged over queries."""
    left = QUERY.mean(instantiated(expectation(fixed_error), at_the_query))
    return integrated("query", (query,), at, left, bound)


@cache
def averaged_with_a_weight() -> Theorem:
    """E|err|^2 over prompt and query is at most sigma^2 (1 - 2 lambda)^{-d/2} (300(1 + h) + 8 ln L
    + 16(d + 1) kappa/((1 - 2 lambda) sqrt(e)))/L^theta with theta = min(1, lambda/(4 kappa)).
    """
    n, scale = QUERY.square, sigma**2 * exp(-slow * log(L))
    means = QUERY.mean(exp(lam * n)), QUERY.mean(n * exp(lam * n))
    bound = scale * ((300 * (1 + h) + 8 * log(L)) * means[0] + 8 * kappa * means[1])
    first = instantiate(weighted_query.exponential(), {u: odds})
    second = instantiate(weighted_query.with_a_power(), {u: odds, weighted_query.power: term(1)})
    average = over_queries(at_a_query(), bound)
    average = chain(average, gcongr(bound, chain(means[0], first), chain(means[1], second)))
    length = instantiate(arithmetic(exp(-size_ * log(L)), "==", L**-size_), {size_: slow})
    return chain(average, gcongr(average.rhs, length))


@cache
def averaged() -> Theorem:
    """E|err|^2 over prompt and query is at most sigma^2 2^{d/2} (300(1 + h) + 8 ln L + 20(d + 1)
    kappa)/L^theta with theta = min(1, 1/(16 kappa)), by the weight 1/4.
    """
    two, length = term(Fraction(1, 2)) ** (-d / 2), L ** -instantiated(slow, {odds: term(1)})
    form = lambda length, two, number: (
        sigma**2 * length * two * (300 * (1 + h) + 8 * log(L) + kappa * (d + 1) * number)
    )
    words = (
        arithmetic(length, "==", L**-power, hide=(kappa,)),
        arithmetic(two, "==", 2 ** (d / 2)),
        arithmetic(32 * exp(Fraction(-1, 2)), "<=", 20),
    )
    average = instantiate(averaged_with_a_weight(), {odds: term(1)})
    average = chain(average, form(*(w.lhs for w in words)))
    return chain(average, gcongr(average.rhs, *words))


@cache
def small_scores() -> Theorem:
    """The hypothesis kappa < 1/8, which is u/(8 (1 + u)) with u >= 0."""
    return assume("8 kappa = theta/(1 + theta)", 8 * kappa, "==", u / (1 + u))


@cache
def averaged_rate() -> Theorem:
    """E|err|^2 over prompt and query is at most 300 sigma^2 (1 + h) (1 - 8 kappa)^{-d/2}/L."""
    at, light = rate_at_a_query(), small_scores()
    form = lambda s: 300 * sigma**2 * (1 + h) / L * exp(s / 2 * QUERY.square)
    at = chain(at, form(light.lhs), gcongr(form(light.lhs), light))
    weight = weighted_query.exponential()
    average = over_queries(at, 300 * sigma**2 * (1 + h) / L * weight.lhs)
    return chain(average, gcongr(average.rhs, weight))


def of_the_output(bound: Theorem) -> Theorem:
    """A bound on the mean of |err|^2 over prompt and query for V err, times |V|^2."""
    image = instantiate(operator_norm(V, norm_V, m), {b: ((l,), instantiated(fixed_residual, {i: l}))})
    image = integrated("prompt", (prompt,), image, None, norm_V**2 * expectation(fixed_error))
    image = integrated(
        "query", (query,), instantiate(image, at_the_query), QUERY.mean(output()), norm_V**2 * bound.lhs
    )
    return chain(image, gcongr(image.rhs, bound))


@cache
def theorem() -> Theorem:
    """The bound of `averaged` for the output."""
    return of_the_output(averaged())


@cache
def gradient() -> Theorem:
    """The bound of `averaged` for each of the m rows of the gradient in V."""
    return chain(gradient_statement().lhs, m * averaged().lhs, gcongr(m * averaged().lhs, averaged()))


def output() -> Term:
    """E|T_L - T|^2 over the prompt at a query."""
    return instantiated(expectation(output_error), at_the_query)


def _statement(bound: Term, c: int | Fraction, *more: Theorem) -> Statement:
    given = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d), operator_norm(V, norm_V, m))
    return Statement(QUERY.mean(output()), "<=", Fraction(c) * bound, hypotheses(*given, *more))


def statement(c: int | Fraction = 1) -> Statement:
    """P3.1 with our constants, from the bound of `theory`."""
    symbols = sp.symbols("L sigma U V d", positive=True)
    values = dict(zip(symbols, (L, sigma, norm_U, norm_V, d)))
    return _statement(from_sympy(output_average(*symbols), values), c)


def statement_with_a_weight(c: int | Fraction = 1) -> Statement:
    """The same with any weight lambda in (0, 1/2) of the query."""
    bracket = 300 * (1 + h) + 8 * log(L) + 16 * (d + 1) * kappa / (rest * exp(Fraction(1, 2)))
    return _statement(norm_V**2 * sigma**2 * rest ** (-d / 2) * bracket * L**-slow, c)


@proves("OURS:P3.1.sharp/lambda", statement_with_a_weight)
def theorem_with_a_weight() -> Theorem:
    return of_the_output(averaged_with_a_weight())


def statement_of_the_rate(c: int | Fraction = 1) -> Statement:
    """The rate 1/L for kappa < 1/8, where 1 - 8 kappa is 1/(1 + u)."""
    bound = 300 * (1 + h) * norm_V**2 * sigma**2 * (1 / (1 + u)) ** (-d / 2) / L
    return _statement(bound, c, small_scores())


@proves("OURS:P3.1.sharp/small", statement_of_the_rate)
def theorem_of_the_rate() -> Theorem:
    return of_the_output(averaged_rate())


def gradient_statement(c: int | Fraction = 1) -> Statement:
    """P3.4 with our constants for the gradient in V, whose m rows are R_L/S_L - R/S."""
    symbols = sp.symbols("L sigma U m d", positive=True)
    values = dict(zip(symbols, (L, sigma, norm_U, m, d)))
    given = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d))
    rows = expectation(over(j, m, fixed_error))
    bound = Fraction(c) * from_sympy(gradient_V_average(*symbols), values)
    return Statement(QUERY.mean(instantiated(rows, at_the_query)), "<=", bound, hypotheses(*given))
