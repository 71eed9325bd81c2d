"""The incomplete Gamma function in the proof of Lemma D.2, item 2.

The mean over the law e^{-t} dt on (0, oo) of a random variable T is an integral, and Gamma(p/2, x)
is that of T^{p/2-1} over the event T >= x.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import x
from proofs_check.derivations.softmax_average.tilted import query
from proofs_check.derivations.tails.largest import M_, S_, at_q, p, positive_part, q, q_
from theory.bounds.sub_gaussian import c_p_explicit

T = Function("T", (Sort.QUERY,))
rate = Variable("rate", range=Range(Fraction(0), Fraction(1), True, False))
X = Variable("X", range=Range(Fraction(1, 16), lo_open=False))
b = Variable("B", range=Range(Fraction(1), lo_open=False))
c_p = Variable("c_p", range=POSITIVE)
u_, w_, e_ = (Variable(f"{name}_", range=NONNEGATIVE) for name in "uwe")


def over_T(body: Term) -> Term:
    """The mean over T, which is a function of the query."""
    return bind("query", (query,), body)


def beyond(level: Term) -> Term:
    """1 where T >= level, and 0 elsewhere."""
    return Op("ind", (T(query) - level,))


def power_beyond(level: Term) -> Term:
    """T^{p/2-1} 1{T >= level}, for a positive level."""
    return Op("max", (T(query), level)) ** (q - 1) * beyond(level)


@cache
def density() -> Theorem:
    """The integral of e^{(1 - r) t} e^{-t} from x on is e^{-r x}/r, for 0 < r <= 1 and x >= 0: T
    has the density e^{-t}.
    """
    integral = over_T(exp((1 - rate) * T(query)) * beyond(u_))
    return assume("T has the density e^{-t}", integral, "==", exp(-rate * u_) / rate, every=(rate, u_))


@cache
def admissible() -> Theorem:
    """Gamma(p/2, x) <= c_p e^{-x} x^{p/2} for every x >= 1/16."""
    bound = c_p * exp(-X) * X**q
    return assume(
        "Gamma(p/2, x) <= c_p e^{-x} x^{p/2} for x >= 1/16", over_T(power_beyond(X)), "<=", bound, every=(X,)
    )


@cache
def root_of_the_exponential() -> Theorem:
    """(1 + 16 u)^{q-1} <= (32 q)^{q-1} e^{u/2} for u >= 0 and q >= 1, from ln y <= y - 1."""
    tangent = instantiate(arithmetic(log(M_), "<=", log(S_) + M_ / S_ - 1), {M_: 1 + 16 * u_, S_: 32 * q_})
    line = calc(tangent, ("<=", log(32 * q_) + u_ / (2 * q_)))
    power = gcongr(exp(e_ * log(1 + 16 * u_)), line)
    power = instantiate(power, {e_: q_ - 1}, arithmetic(0, "<=", q_ - 1))
    return chain(power, arithmetic(power.rhs, "<=", exp((q_ - 1) * log(32 * q_)) * exp(u_ / 2)))


def gamma(c: int | Fraction = 1) -> Statement:
    """Gamma(p/2, x) <= c c_p e^{-x} x^{p/2} for every x >= 1/16 with the c_p of `theory`."""
    symbol = sp.Symbol("p", positive=True)
    bound = Fraction(c) * from_sympy(c_p_explicit(symbol), {symbol: p}) * exp(-X) * X ** (p / 2)
    return Statement(over_T(power_beyond(X)), "<=", bound, density().assumptions)


@proves("BB:LD.2.2.G", gamma)
@cache
def some_constant() -> Theorem:
    """Gamma(p/2, x) <= (16 p)^{p/2} e^{-x} x^{p/2} for every x >= 1/16: the integrand at t = x + u
    is at most (16 p)^{p/2} x^{p/2} e^{-t + u/2}/2.
    """
    near, far = exp((q_ - 1) * log(1 + u_ / X)) / X, exp((q_ - 1) * log(1 + 16 * u_))
    unit, gap, beyond_X = lambda q: X**q * (32 * q) ** q / 2, positive_part(x - X), Op("ind", (x - X,))
    number = show(16 * exp((q_ - 1) * log(32 * q_)), "<=", (32 * q_) ** q_ / 2)
    line = calc(
        (X + u_) ** (q_ - 1),
        ("==", X**q_ * near),
        ("<=", X**q_ * (16 * far), show(near, "<=", 16 * far)),
        ("<=", X**q_ * (number.lhs * exp(u_ / 2)), root_of_the_exponential()),
        ("<=", unit(q_) * exp(u_ / 2), number),
    )
    same = gcongr(Op("max", (x, X)) ** e_, arithmetic(Op("max", (x, X)), "==", X + gap))
    light = arithmetic(Op("ind", (x,)) * exp(positive_part(x) / 2), "<=", Op("ind", (x,)) * exp(x / 2))
    line = calc(
        beyond_X * Op("max", (x, X)) ** (q_ - 1),
        (
            "<=",
            beyond_X * (X + gap) ** (q_ - 1),
            instantiate(same, {e_: q_ - 1}, arithmetic(0, "<=", q_ - 1)),
        ),
        ("<=", beyond_X * (unit(q_) * exp(gap / 2)), instantiate(line, {u_: gap})),
        ("<=", beyond_X * (unit(q_) * exp((x - X) / 2)), instantiate(light, {x: x - X})),
    )
    half = instantiate(density(), {rate: term(Fraction(1, 2)), u_: X})
    return calc(
        over_T(power_beyond(X)),
        ("<=", unit(q) * exp(-X / 2) * half.lhs, at_q(line, {x: T(query)})),
        ("<=", (16 * p) ** q * exp(-X) * X**q, half),
    )
