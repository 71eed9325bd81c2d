"""R4.above: P2 <= 20 L^{-beta} e^{beta (1 + beta) s/2} for the softmax weights of L independent
Gaussian scores of the variance s, every L and 0 < beta <= 1.

Where the sum S of the weights e^x is at least S0 = (L/2) e^{s/2}, the sum of p^2 is at most that of
(e^x/S0)^{1 + beta}; and by Chernoff's method S is seldom smaller.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import N_, cauchy_schwarz, chain, exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.steps import above, ind
from proofs_check.derivations.proof import proves

k, l, prompt = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN), Variable("prompt", Sort.PROMPT)
c, v = Variable("c", range=REALS), Variable("v", range=REALS)
sigma, u = Variable("sigma", range=NONNEGATIVE), Variable("u", range=POSITIVE)
beta = Variable("beta", range=Range(Fraction(0), Fraction(1), lo_open=True, hi_open=False))
normal = Function("g", (Sort.TOKEN,), None)

mean = lambda e: bind("mean", (k,), e)
total = lambda e: bind("sum", (k,), e, (prompt,))
expectation = lambda e: bind("prompt", (prompt,), e)

gaussian = assume("g is standard normal", mean(exp(c * normal(k))), "==", exp(c**2 / 2), every=(c,))
#: The score of a token, and its variance.
x, s = sigma * normal(k), sigma**2
w = exp(x)
S = total(w)
p = w / S
P2 = expectation(total(p**2))
#: The logarithm of S0, and the score above it.
level = log(L / 2) + s / 2
y = x - level
large, small, good, bad = above(y), ind(-y), ind(S - exp(level)), above(exp(level) - S)
most = exp(-beta * log(L) + beta * (1 + beta) * s / 2)


def statement(c: int | Fraction = 20) -> Statement:
    return Statement(P2, "<=", c * most, hypotheses(gaussian))


@cache
def square_of_the_sum(factor: Term) -> Theorem:
    """sum (p f)^2 <= (sum p f)^2 for a factor f that is not negative."""
    e = w * factor
    pairs = bind("sum", (k, l), e * instantiated(e, {k: l}), (prompt,))
    of_w = calc(total(e**2), ("<=", total(e**2) + pairs), ("==", total(e) ** 2))
    return calc(
        total((p * factor) ** 2),
        ("==", S**-2 * total(e**2)),
        ("<=", S**-2 * total(e) ** 2, of_w),
        ("==", total(p * factor) ** 2),
    )


@cache
def squares_add_up() -> Theorem:
    """sum p^2 <= 1."""
    one = calc(total(p * 1), ("==", S / S), ("==", 1, S))
    return calc(chain(total(p**2), square_of_the_sum(term(1))), ("==", 1, one, one.lhs))


@cache
def where_the_sum_is_large() -> Theorem:
    """The sum of p^2 is at most that of (e^x/S0)^{1 + beta} where S >= S0: of a token with e^x <=
    S0 p is at most e^x/S0, and the p^2 of the others add up to their number, at most.
    """
    power, base, mine = exp((1 + beta) * y), exp(level), total(large * p**2)
    falls = instantiate(arithmetic(ind(-v) * exp(N_ * v), "<=", 1), {N_: 1 - beta})
    slow = ind(-v) * exp((1 + beta) * v)
    slower = calc(ind(-v) * exp(2 * v), ("==", slow * falls.lhs), ("<=", slow, falls))
    few = calc(
        good * small * p**2,
        (
            "<=",
            small * (exp(2 * x) / base**2),
            arithmetic(good * small * p**2, "<=", small * (exp(2 * x) / base**2), hide=(S, x, level)),
        ),
        ("==", small * exp(2 * y), x, level),
        ("<=", small * power, instantiate(slower, {v: y})),
    )
    schwarz = cauchy_schwarz("sum", (k,), p, large, (prompt,))
    more = calc(
        chain(mine, square_of_the_sum(large)),
        ("<=", schwarz.rhs, schwarz),
        ("<=", 1 * total(large**2), squares_add_up()),
        (
            "<=",
            total(large * power),
            instantiate(arithmetic(above(v) ** 2, "<=", above(v) * exp((1 + beta) * v)), {v: y}),
        ),
    )
    return calc(
        good * total(p**2),
        ("==", total(good * small * p**2) + good * mine),
        ("<=", total(small * power) + mine, few),
        ("<=", total(small * power) + total(large * power), more),
        ("==", total(power)),
    )


@cache
def parabola() -> Theorem:
    """e^{-e^v} <= 1 - e^v + e^{(1 + beta) v}."""
    up, down = ind(v) * exp(v), above(-v) * exp(2 * v)
    power = arithmetic(up + down, "<=", exp((1 + beta) * v))
    return calc(
        exp(-exp(v)),
        ("<=", 1 - exp(v) + (up + down), arithmetic(exp(-exp(v)), "<=", 1 - exp(v) + (up + down))),
        ("<=", 1 - exp(v) + exp((1 + beta) * v), power),
    )


@cache
def tail() -> Theorem:
    """P(S < S0) <= e^{-U L/4} for U = 4^{-1/beta} e^{-(1 + beta) s/2}, which is at most
    4^{1 + beta} L^{-beta} e^{beta (1 + beta) s/2}.
    """
    log_U = -log(term(4)) / beta - (1 + beta) * s / 2
    t, U = exp(log_U - s / 2), exp(log_U)
    first, second = (instantiate(gaussian, {c: number * sigma}) for number in (term(1), 1 + beta))
    point = instantiate(parabola(), {v: log_U - s / 2 + x})
    laplace = calc(
        mean(exp(-t * w)),
        ("<=", mean(1 - t * w + exp((1 + beta) * (log_U - s / 2)) * exp((1 + beta) * x)), point),
        ("==", 1 - t * first.lhs + exp((1 + beta) * (log_U - s / 2)) * second.lhs),
        (
            "==",
            1 - t * first.rhs + exp((1 + beta) * (log_U - s / 2)) * second.rhs,
            first,
            second,
            first.lhs,
            second.lhs,
            t,
        ),
        ("==", 1 - 3 * U / 4),
        ("<=", exp(-3 * U / 4), U),
    )
    event = instantiate(arithmetic(above(v), "<=", exp(u * v)), {v: exp(level) - S, u: t})
    number = log(L / 4) + log_U
    slow = arithmetic(
        exp(-exp(v)), "<=", exp(-beta * v), calc(beta * v, ("<=", Op("max", (term(0), v))), ("<=", exp(v)))
    )
    return calc(
        expectation(bad),
        ("<=", exp(t * exp(level)) * mean(exp(-t * w)) ** L, event),
        ("<=", exp(t * exp(level)) * exp(-3 * U / 4) ** L, laplace),
        ("==", exp(L * (t * exp(s / 2)) / 2 - 3 * L * U / 4)),
        ("==", exp(-exp(number)), log_U, s),
        ("<=", exp(-beta * number), instantiate(slow, {v: number})),
        ("==", 4 * exp(beta * log(term(4))) * most),
    )


@proves("OURS:R4.above", statement)
@cache
def theorem() -> Theorem:
    power, second = exp((1 + beta) * y), instantiate(gaussian, {c: (1 + beta) * sigma})
    point = calc(
        total(p**2),
        ("==", good * total(p**2) + bad * total(p**2)),
        ("<=", total(power) + bad * 1, where_the_sum_is_large(), squares_add_up()),
    )
    return calc(
        P2,
        ("<=", expectation(total(power) + bad), point),
        ("==", L * exp(-(1 + beta) * level) * second.lhs + expectation(bad)),
        ("<=", L * exp(-(1 + beta) * level) * second.rhs + tail().rhs, second, tail()),
        ("==", (exp((1 + beta) * log(term(2))) + 4 * exp(beta * log(term(4)))) * most),
        ("<=", 20 * most),
    )
