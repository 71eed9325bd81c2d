"""The proof of Lemma C.8 of Collins et al.: where there are enough tokens, the average distance
from the query is likely of the order w^{-1/2}, by Chernoff's method.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range
from numerics.derivations.kernel.terms import Defined, Op, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, k, mean, prompt, total
from proofs_check.derivations.window.uniform.bias_order import distance, off, over
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, power, q
from proofs_check.derivations.window.uniform.kernel_means import from_above, low, p, up, w, weight
from proofs_check.derivations.window.uniform.noise_order import W, given, light, orders, prompts
from proofs_check.derivations.window.uniform.signal_from_above import more_than_one, wide

y, x = Variable("y", range=NONNEGATIVE), Variable("x", range=REALS)
#: The squared distance of a token, its weight at the width, and the sums g_0 and g_1.
square, of_token = over(off**2), instantiated(W, {w: p})
length = sqrt(p * square)
g_0, g_1 = total(of_token), total(of_token * sqrt(square))
mean_weight = mean(of_token)
#: The constant of the distance, and that of the number of tokens.
of_distance = Defined("c_14", 1 + 8 * up / low * power(term(4)))
of_tokens = Defined("c_15", 4 / low * power(term(2)))


@cache
def enough() -> Theorem:
    return assume("n >= C w^{d/2} log n", of_tokens * exp(d / 2 * log(p)) * log(n), "<=", n)


#: The weight at half of the width, and what it lacks to 1, by which exponentials are bounded.
half = weight(p / 2)
lack = Op("max", (term(0), 1 - half))
rate = 1 / of_distance
missed = mean(exp(-(rate * lack + of_token)))


@cache
def of_one_token() -> Theorem:
    """W sqrt(w)|x_k - x| <= the weight at half of the width, which is 1 minus what it lacks."""
    peak = instantiate(arithmetic(sqrt(y) * exp(-y / 2), "<=", 1), {y: p * square})
    same = show(of_token, "==", half * exp(-(p * square) / 2), distance()[0])
    less = instantiate(light(), {w: p / 2})
    whole = arithmetic(half, "<=", 1 - lack, less, hide=(half,))
    far = length * exp(-(p * square) / 2)
    return calc(
        chain(gcongr(of_token * length, same), half * far), ("<=", half * 1, peak), ("<=", 1 - lack, whole)
    )


@cache
def small_rate() -> Theorem:
    """2 E W_{w/2}/c <= E W/4."""
    least, most, P = (Variable(name, range=POSITIVE) for name in ("l", "u", "P"))
    lemma = show(2 * most * P / (1 + 8 * most / least * P**2), "<=", least / P / 4)
    lemma = instantiate(lemma, {least: low, most: up, P: power(term(2))})
    above = instantiate(from_above(), {p: p / 2})
    below, scale = orders(p, calc(more_than_one()))[0], power(1 / p)
    return calc(
        2 * rate * mean(half),
        ("<=", 2 * rate * above.rhs, above, rate),
        ("==", lemma.lhs * scale),
        ("<=", lemma.rhs * scale, lemma, lemma.lhs, lemma.rhs, scale),
        ("==", below.lhs / 4),
        ("<=", mean_weight / 4, below, below.lhs),
    )


@cache
def many() -> Theorem:
    """log n <= n E W/4."""
    below, grown = orders(p, calc(more_than_one()))[0], exp(d / 2 * log(p))
    size = show(0, "<=", log(p), more_than_one())
    power_ = gcongr(power(p), show(m / 2 * log(p), "<=", d / 2 * log(p), dimension(), size, log(p)))
    back = power(1 / p)
    one = calc(1, ("==", power(p) * back), ("<=", grown * back, power_))
    return calc(
        log(n),
        ("<=", grown * back * log(n), one, grown, back, log(n), show(0, "<=", log(n))),
        ("==", enough().lhs * below.lhs / 4),
        ("<=", n * below.lhs / 4, enough(), enough().lhs, below.lhs),
        ("<=", n * mean_weight / 4, below, below.lhs),
    )


@cache
def of_a_token() -> Theorem:
    """e^{1/c} E e^{-lack/c - W} <= e^{-E W/4}, as e^{z/c - v} <= 1 + 2z/c - v/2 on [0, 1]^2."""
    unit = Range(Fraction(0), Fraction(1), False, False)
    near, own = Variable("z", range=unit), Variable("v", range=unit)
    c = Variable("c", range=Range(Fraction(1), None, False))
    lemma = arithmetic(exp(near / c - own), "<=", 1 + 2 / c * near - own / 2)
    ends = show(0, "<=", 1 - lack, half), show(1 - lack, "<=", 1, lack)
    facts = (*ends, instantiate(light(), {w: p}), show(1, "<=", of_distance))
    point = instantiate(lemma, {near: 1 - lack, own: of_token, c: of_distance}, *facts)
    part = arithmetic(1 - lack, "<=", half, hide=(half,))
    point = chain(point, gcongr(point.rhs, part))
    return calc(
        chain(
            exp(rate) * missed, integrate("mean", (k,), point), 1 + 2 * rate * mean(half) - mean_weight / 2
        ),
        ("<=", 1 - mean_weight / 4, small_rate(), small_rate().lhs, mean_weight),
        ("<=", exp(-mean_weight / 4), instantiate(arithmetic(1 + x, "<=", exp(x)), {x: -mean_weight / 4})),
    )


def statement(times: int = 1) -> Statement:
    """P(g_1 > C w^{-times/2} g_0) <= 1/n for n >= C' w^{d/2} log n."""
    gap = g_1 - of_distance * sqrt(p) ** -times * g_0
    event = bind("query", (q,), prompts(Op("above", (gap,))))
    return Statement(event, "<=", 1 / n, hypotheses(*given(), wide(), enough()))


@proves("COL:C.8p/likely", statement)
@cache
def likely() -> Theorem:
    """The probability is at most (E e^{(1 - lack)/c - W})^n."""
    gap, scale = g_1 - of_distance / sqrt(p) * g_0, Variable("r", range=POSITIVE)
    point = arithmetic(Op("above", (x,)), "<=", exp(scale * x))
    point = instantiate(point, {x: gap, scale: rate * sqrt(p)})
    same = instantiate(arithmetic(sqrt(p) * sqrt(y), "==", sqrt(p * y)), {y: square})
    each = chain(of_token * same.lhs, gcongr(of_token * same.lhs, same), of_one_token())
    sums = integrate("sum", (k,), each, (prompt,))
    sums = chain(sqrt(p) * g_1, sums, n - total(lack))
    above = rate * (n - total(lack)) - g_0
    inside = show(rate * sqrt(p) * gap, "<=", above, sums, g_1, g_0, total(lack), of_distance)
    point = chain(point, gcongr(point.rhs, inside))
    missing = total(rate * lack + of_token)
    less = show(missed, "<=", exp(-rate) * of_a_token().rhs, of_a_token(), missed)
    found = calc(
        integrate("prompt", (prompt,), point),
        ("==", prompts(exp(rate * n - missing))),
        ("==", exp(rate * n) * missed**n),
        ("<=", exp(-n * mean_weight / 4), less),
        ("<=", exp(-log(n)), many()),
        ("==", 1 / n),
    )
    return chain(statement().lhs, integrate("query", (q,), found), 1 / n)
