"""The ends of Theorems E.1 and E.2 of Collins et al.: for enough tokens the upper end of the width
is below the width from which on the noise is large. In logarithms both are linear.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d

#: The logarithm of the number n of tokens, L^2/sigma^2, and the constant of the number of tokens.
N, R, C = (Variable(name, range=POSITIVE) for name in ("N", "R", "C"))
n = exp(N)
x = Variable("x", range=REALS)


def power(base: Term, exponent: Term) -> Term:
    return exp(exponent * log(base))


def too_wide(rate: int | Fraction) -> Term:
    """(n/log n)^{rate/d}"""
    return power(n / N, Fraction(rate) / d)


def of_exp(exponent: Term) -> Theorem:
    """log e^x = x"""
    return instantiate(arithmetic(log(exp(x)), "==", x), {x: exponent})


def in_logarithms(given: Theorem, exponent: Term) -> Theorem:
    """log C + x <= log n from C e^x <= n."""
    return calc(
        log(C) + exponent,
        ("==", log(C) + log(exp(exponent)), of_exp(exponent)),
        ("<=", log(n), gcongr(log(given.lhs), given)),
        ("==", N, of_exp(N)),
    )


@cache
def first_tokens(logarithms: int) -> Theorem:
    """n >= C R^{d/2} (log n)^{(d + logarithms)/2}"""
    least = C * power(R, d / 2) * power(N, (d + logarithms) / 2)
    name = f"n >= C (L^2/sigma^2)^(d/2) (log n)^((d + {logarithms})/2), N = log n"
    return assume(name, least, "<=", n)


def first_statement(halves: int | Fraction = 2, logarithms: int = 2) -> Statement:
    """(nR)^{2/(d + 2)} <= C^{-4/(d(d + 2))} (n/log n)^{halves/d}"""
    bound = power(C, -4 / (d * (d + 2))) * too_wide(halves)
    return Statement(power(n * R, 2 / (d + 2)), "<=", bound, hypotheses(first_tokens(logarithms)))


@proves("COL:E.1.vac", first_statement)
@cache
def first_ends() -> Theorem:
    """log R <= 2/d (log n - log C) - (d + 2)/d log log n."""
    r, c, l, scale = log(R), log(C), log(N), 4 / (d * (d + 2))
    enough = in_logarithms(first_tokens(2), d / 2 * r + (d + 2) / 2 * l)
    rest = scale * (d / 2 * N - c - (d + 2) / 2 * l)
    short = calc(
        2 / (d + 2) * (N + r),
        ("==", scale * enough.lhs + rest, N, r, c, l),
        ("<=", scale * N + rest, enough),
        ("==", -4 / (d * (d + 2)) * c + 2 / d * (N - l), N, c, l),
    )
    return calc(
        first_statement().lhs,
        ("==", exp(2 / (d + 2) * (N + r)), of_exp(N)),
        ("<=", exp(short.rhs), short),
        ("==", power(C, -scale) * exp(2 / d * (N - l))),
        ("==", first_statement().rhs, of_exp(N)),
    )


@cache
def second_tokens(plus: int) -> Theorem:
    """n >= C (R log n)^{(d + plus)/2}"""
    least = C * power(R * N, (d + plus) / 2)
    name = f"n >= C ((L^2/sigma^2) log n)^((d + {plus})/2), N = log n"
    return assume(name, least, "<=", n)


#: Half of d + 4, and what the constant C and the logarithm cost.
a, share = (d + 4) / 2, (d + 2) / (d + 4)
cost = log(a) - 1 - share * log(C)
constant = exp(4 / (d * (d + 4)) * cost)


def second_statement(plus: int = 4) -> Statement:
    """(nR)^{2(d + 2)/(d(d + 4))} <= c (n/log n)^{2/d} with c of C and d."""
    left = power(n * R, 2 * (d + 2) / (d * (d + 4)))
    return Statement(left, "<=", constant * too_wide(2), hypotheses(second_tokens(plus)))


@cache
def enough_tokens() -> Theorem:
    """(d + 2)/2 log R + (d + 4)/2 log log n <= log n + cost, by the number of tokens and by the
    tangent of the logarithm at (d + 4)/2.
    """
    y, b = Variable("y", range=POSITIVE), Variable("b", range=POSITIVE)
    r, c, l = log(R), log(C), log(N)
    tangent = instantiate(arithmetic(log(y), "<=", y / b + log(b) - 1), {y: N, b: a})
    enough = in_logarithms(second_tokens(4), a * (r + l))
    return calc(
        (d + 2) / 2 * r + a * l,
        ("==", share * enough.lhs - share * c + l, r, c, l),
        ("<=", share * N - share * c + l, enough),
        ("<=", share * N - share * c + tangent.rhs, tangent),
        ("==", N + cost, N, c, log(a)),
    )


@proves("COL:E.2.vac", second_statement)
@cache
def second_ends() -> Theorem:
    """2/d less the exponent of n is 4/(d(d + 4))."""
    r, l, scale, rate = log(R), log(N), 4 / (d * (d + 4)), 2 * (d + 2) / (d * (d + 4))
    found, rest = enough_tokens(), scale * (d + 2) / 2 * N - scale * a * l
    short = calc(
        rate * (N + r),
        ("==", scale * found.lhs + rest, N, r, l),
        ("<=", scale * (N + cost) + rest, found),
        ("==", scale * cost + 2 / d * (N - l), N, l, cost),
    )
    return calc(
        second_statement().lhs,
        ("==", exp(rate * (N + r)), of_exp(N)),
        ("<=", exp(short.rhs), short),
        ("==", constant * exp(2 / d * (N - l))),
        ("==", second_statement().rhs, of_exp(N)),
    )
