"""The covariance C_L of the tokens of a prompt under the softmax weights, and its limit C: the
error |C_L - C|^2 in the norm of Frobenius at a fixed query.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind
from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, interpolated, log, root, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE
from numerics.derivations.terms import Defined, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import fourth_moment, moments, second_moment
from proofs_check.derivations.gradients import second_moments
from proofs_check.derivations.gradients.second_moments import K8, F, both, limit_of_both, over_both
from proofs_check.derivations.query_average import average_of_powers, fixed_error, of_the_tokens, theta
from proofs_check.derivations.softmax_average import (
    S_L,
    a2,
    d,
    expectation,
    i,
    j,
    k,
    m,
    m0,
    mean,
    over,
    prompt,
    s,
    score,
    sigma,
    t,
    total,
    u,
    w,
    x,
    y,
    z,
)
from proofs_check.derivations.tilted import TOKEN, h, moment_of_the_norm, tilted_moment

X_, Y_ = (Variable(name, range=NONNEGATIVE) for name in ("X_", "Y_"))


def of_the_prompt(body: Term) -> Term:
    """The average over the tokens of a prompt, with the softmax weights."""
    return total(w * body) / S_L


def of_the_law(body: Term) -> Term:
    """The average over the law of the tokens with the weight w, its limit."""
    return mean(w * body) / m0


def covariance(average: object) -> Term:
    """Entry (i, j) of the covariance."""
    return average(both) - average(z(i, k)) * average(z(j, k))


error = covariance(of_the_prompt) - covariance(of_the_law)
error_squared = Defined("errC", over_both(error**2))
err2 = Defined("err2", fixed_error)
K4 = Defined("K4", sqrt(mean(F)))
size_of_m = Defined("m2", over(i, d, of_the_law(z(i, k)) ** 2))


@cache
def split() -> Theorem:
    """|C_L - C|^2 <= 3|M_L - M|^2 + 3|e|^4 + 12|m|^2|e|^2 for second moments M_L, M and means
    m + e, m of the tokens, as C_L - C = (M_L - M) - ee' - (me' + em').
    """
    three = arithmetic((x - y - u) ** 2, "<=", 3 * x**2 + 3 * y**2 + 3 * u**2)
    two = arithmetic((x + y) ** 2, "<=", 2 * x**2 + 2 * y**2)
    e = [of_the_prompt(z(n, k)) - of_the_law(z(n, k)) for n in (i, j)]
    m = [of_the_law(z(n, k)) for n in (i, j)]
    mixed = specialise(two, {x: m[0] * e[1], y: e[0] * m[1]})
    parts = specialise(three, {x: of_the_prompt(both) - limit_of_both, y: e[0] * e[1], u: m[0] * e[1] + e[0] * m[1]})
    parts = chain(error**2, parts, replace(parts.rhs, mixed))
    parts = integrated("coordinates", (j,), parts, heads=(d,))
    bound = 3 * second_moments.error_squared + 3 * err2**2 + 12 * size_of_m * err2
    return integrated("coordinates", (i,), parts, error_squared, bound, (d,))


def mean_of_a_sum(thm: Theorem, *parts: tuple[Term | int, Term]) -> Theorem:
    """From X <= c_1 Y_1 + c_2 Y_2 + .. to E X <= c_1 E Y_1 + c_2 E Y_2 + .. over the prompt, for
    nonnegative Y_n and numbers c_n >= 0, also where a term that Y_n consists of may have no mean.
    """
    whole = [Op("max", (Y, term(0))) for _, Y in parts]
    add = lambda terms: sum((c * Y for (c, _), Y in zip(parts, terms)), term(0))
    values = [Y for _, Y in parts]
    point = chain(thm, add(values), arithmetic(add(values), "<=", add(whole), hide=tuple(values)))
    average = integrated("prompt", (prompt,), point, None, add(map(expectation, whole)))
    back = [integrated("prompt", (prompt,), arithmetic(X, "<=", Y, hide=(Y,))) for X, Y in zip(whole, values)]
    return chain(average, replace(average.rhs, *back))


@cache
def with_concentration() -> Theorem:
    """E|C_L - C|^2 <= K8 (750 e^{8 a2}/L + 24000 e^{16 a2}/L^2): R1 for zz' and for z, and R2."""
    parts = (3, second_moments.error_squared), (3, err2**2), (12 * size_of_m, err2)
    average = mean_of_a_sum(split(), *parts)
    fourth = specialise(fourth_moment.theorem(), {fourth_moment.f: ((i, k), z(i, k)), m: d})
    fourth = chain(expectation(err2**2), fourth, 8000 * exp(16 * a2) * K8 / L**2)
    second = chain(expectation(err2), of_the_tokens(second_moment.theorem()), 50 * exp(4 * a2) * K4 / L)
    limit = chain(size_of_m, of_the_tokens(moments.size_of_the_limit()), exp(2 * a2) * K4)
    average = chain(average, replace(average.rhs, second_moments.theorem(), fourth, second, limit))
    average = chain(average, 150 * exp(4 * a2) / L * K8 + 24000 * exp(16 * a2) / L**2 * K8 + 600 * exp(6 * a2) / L * mean(F))
    average = chain(average, replace(average.rhs, second_moments.mean_fourth_power()))
    larger = arithmetic(150 * exp(4 * a2) + 600 * exp(6 * a2), "<=", 750 * exp(8 * a2))
    average = chain(average, 24000 * exp(16 * a2) / L**2 * K8 + larger.lhs / L * K8)
    return chain(average, replace(average.rhs, larger), K8 * (750 * exp(8 * a2) / L + 24000 * exp(16 * a2) / L**2))


def below_the_trace(kind: str, heads: tuple[Term, ...], normaliser: Term) -> Theorem:
    """|C|^2 <= (M_11 + .. + M_dd)^2 for the covariance C and the second moments M of an average:
    C_ij^2 <= C_ii C_jj by the Cauchy-Schwarz inequality, and C_ii <= M_ii.
    """
    average = lambda body: bind(kind, (k,), w * body, heads) / normaliser
    part = lambda n: exp(score / 2) * (z(n, k) - average(z(n, k)))
    each = cauchy_schwarz(kind, (k,), part(i), part(j), heads)
    each = chain(covariance(average) ** 2, each.lhs / normaliser**2, replace(each.lhs / normaliser**2, each))
    rows = integrated("coordinates", (j,), each, heads=(d,))
    trace = over(i, d, average((z(i, k) - average(z(i, k))) ** 2))
    entries = integrated("coordinates", (i,), rows, over_both(covariance(average) ** 2), trace**2, (d,))
    less = arithmetic(average(TOKEN.square) - over(i, d, average(z(i, k)) ** 2), "<=", average(TOKEN.square))
    return chain(entries, replace(trace**2, chain(trace, less)))


@cache
def without_concentration() -> Theorem:
    """E|C_L - C|^2 <= 32 sigma^4 ((1 + ln L + h)^2 + (h + a2)^2)."""
    two = specialise(arithmetic((x - y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: covariance(of_the_prompt), y: covariance(of_the_law)})
    rows = integrated("coordinates", (j,), two, heads=(d,))
    sizes = [over_both(covariance(average) ** 2) for average in (of_the_prompt, of_the_law)]
    both = integrated("coordinates", (i,), rows, error_squared, 2 * sizes[0] + 2 * sizes[1], (d,))
    finite, infinite = below_the_trace("sum", (prompt,), S_L), below_the_trace("mean", (), m0)
    finite = chain(finite, fourth_moment.average_step(TOKEN.square, of_the_prompt(TOKEN.square) ** 2, of_the_prompt(F)))
    tilted = chain(of_the_law(TOKEN.square), tilted_moment(1), 4 * sigma**2 * (h + a2))
    infinite = chain(infinite, replace(infinite.rhs, tilted))
    both = chain(both, replace(both.rhs, finite, infinite))
    average = integrated("prompt", (prompt,), both, None, 2 * expectation(of_the_prompt(F)) + 2 * infinite.rhs)
    fourth = chain(expectation(of_the_prompt(F)), average_of_powers(2))
    return chain(average, replace(average.rhs, fourth), 32 * sigma**4 * ((1 + log(L) + h) ** 2 + (h + a2) ** 2))


#: What both bounds are below, in units of sigma^4.
bracket = 25065 * (12 + 4 * h) ** 2 + Fraction(4016, 125) * (log(L) ** 2 + a2**2)


@cache
def at_a_fixed_query() -> Theorem:
    """E|C_L - C|^2 <= M e^{theta x} for M = sigma^4 bracket, x = 8 a2 - ln L and every theta in
    [0, 1], from X <= M (750 e^x + 24000 e^{2 x})/25065 and X <= M, as e^{2 x} <= e^x for x <= 0.
    """
    x, unit, M = 8 * a2 - log(L), sigma**4 * (12 + 4 * h) ** 2, Defined("M", sigma**4 * bracket)
    eighth = chain(mean(TOKEN.square**4), moment_of_the_norm(4), unit**2)
    eighth = chain(K8, root(eighth, sqrt(mean(TOKEN.square**4)), unit))
    long = chain(with_concentration(), replace(with_concentration().rhs, eighth))
    words = [arithmetic(exp(8 * n * a2) / L**n, "==", exp(x) ** n) for n in (1, 2)]
    share = lambda power: (750 * power + 24000 * power**2) / 25065
    long = chain(long, 25065 * unit * (750 * words[0].lhs + 24000 * words[1].lhs) / 25065)
    long = chain(long, replace(long.rhs, *words), 25065 * unit * share(exp(x)))
    less = replace(sigma**4 * (25065 * (12 + 4 * h) ** 2), arithmetic(25065 * (12 + 4 * h) ** 2, "<=", bracket, hide=(log(L),)))
    long = chain(long, less.lhs * share(exp(x)), replace(less.lhs * share(exp(x)), less), M * share(exp(x)))
    both = 32 * ((1 + log(L) + h) ** 2 + (h + a2) ** 2)
    short = chain(without_concentration(), sigma**4 * both)
    short = chain(short, replace(short.rhs, arithmetic(both, "<=", bracket, hide=(log(L),))), M)
    X, below, above = long.lhs, Op("ind", (1 - exp(x),)), Op("above", (exp(x) - 1,))
    cases = arithmetic(X, "<=", below * X + above * X, long, hide=(X, exp(x)))
    cases = chain(cases, replace(cases.rhs, replace(below * X, long), replace(above * X, short)))
    lemma = arithmetic(Op("ind", (1 - t,)) * (s * share(t)) + Op("above", (t - 1,)) * s, "<=", s * t)
    cases = chain(cases, specialise(lemma, {s: M, t: exp(x)}))
    return interpolated(cases, short, M, x, theta)
