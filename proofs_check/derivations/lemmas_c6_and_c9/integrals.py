"""Integrals of the proof of Lemma C.4. An integral from a point on is a path in time: its
derivative is the integrand, and it starts at 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import N_, chain, exp, log
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative, up_to
from numerics.derivations.kernel.rules import (
    antitone,
    arithmetic,
    assume,
    begin,
    gcongr,
    instantiate,
    trans,
    until,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from theory.bounds.concentration_moments import tail_integral

t, s = Variable("t", Sort.TIME), Variable("s", Sort.TIME)
c, scale = Variable("c", range=POSITIVE), Variable("scale", range=POSITIVE)
x = Variable("x", range=NONNEGATIVE)
_path = lambda name: Function(name, (Sort.TIME,), Fraction(1))
#: The integrals of min(1, c/t) from 0 and from c on, and that of u^{p-1} e^{-u/scale} from x on.
capped, beyond, tail = _path("I"), _path("J"), _path("T")


def integral(path: Function, when: Variable, integrand: Term) -> tuple[Theorem, Theorem]:
    """The hypotheses that a path is the integral of a function."""
    name = path.name
    return (
        assume(f"{name} has this derivative", path.rate(when), "==", integrand, every=(when,)),
        assume(f"{name} starts at 0", path(START), "==", 0),
    )


def is_integral(path: Function, value: Term, given: tuple[Theorem, Theorem]) -> Theorem:
    """The integral from 0 to t is value(t) - value(0), if the derivative is the integrand."""
    rate, start = given
    flat = arithmetic(derivative(path(t) - value, t), "==", 0, rate)
    constant = antitone(path(t) - value, t, flat)
    first = instantiated(value, {t: START})
    moved = arithmetic(constant.lhs + value, "==", constant.rhs + value, constant, hide=(constant.lhs, value))
    zero = arithmetic(path(START) - first + value, "==", value - first, start, hide=(value, first))
    return chain(path(t), moved, zero)


# -- The integral of min(1, C/(L t)), with c = C/L -------------------------------------------------

of_capped = integral(capped, t, c / Op("max", (c, CLOCK(t))))
of_beyond = integral(beyond, t, c / (c + CLOCK(t)))
#: Whether s is the time c.
at_c = Op("ind", (c - CLOCK(s),)) * Op("ind", (CLOCK(s) - c,))


def split_statements(times: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The integral of min(1, c/t) from 0 to c and from c to t_0 >= c is c + times c ln(t_0/c)."""
    both = capped(s) + beyond(t)
    value = c + Fraction(times) * c * log((c + CLOCK(t)) / c)
    given = hypotheses(*(*of_capped, *of_beyond))
    return Statement(at_c * both, "<=", at_c * value, given), Statement(
        at_c * value, "<=", at_c * both, given
    )


@cache
def up_to_c() -> tuple[Theorem, Theorem]:
    """I(t) <= t, and I(t) >= t for t <= c."""
    rate, start = of_capped
    below = arithmetic(c / Op("max", (c, N_)), "<=", 1)
    below = trans(rate, instantiate(below, {N_: CLOCK(t)}))
    falls = antitone(capped(t) - CLOCK(t), t, arithmetic(derivative(capped(t) - CLOCK(t), t), "<=", 0, below))
    upper = arithmetic(capped(t), "<=", CLOCK(t), falls, start, begin())
    one = assume("I' >= 1", 1, "<=", capped.rate(t), every=(t,))
    falls = antitone(CLOCK(t) - capped(t), t, arithmetic(derivative(CLOCK(t) - capped(t), t), "<=", 0, one))
    lower = arithmetic(CLOCK(t), "<=", capped(t), falls, start, begin())
    gate = Op("ind", (c - N_,))
    early = instantiate(arithmetic(gate * 1, "<=", gate * (c / Op("max", (c, N_)))), {N_: CLOCK(t)})
    early = chain(early, arithmetic(early.rhs, "==", up_to(c, capped.rate(t)), rate))
    return upper, until(lower, c, early)


@cache
def split() -> tuple[Theorem, Theorem]:
    """Both integrals, of which the first one is c at c."""
    upper, lower = (instantiate(thm, {t: s}) for thm in up_to_c())
    more = is_integral(beyond, c * log(c + CLOCK(t)), of_beyond)
    rest = c * log((c + CLOCK(t)) / c)
    more = chain(more, arithmetic(more.rhs, "==", rest, begin()))
    most = chain(gcongr(at_c * capped(s), upper), arithmetic(at_c * CLOCK(s), "<=", at_c * c))
    least = arithmetic(at_c * c, "<=", at_c * CLOCK(s))
    later = Op("ind", (CLOCK(s) - c,))
    least = chain(least, later * lower.lhs, gcongr(later * lower.lhs, lower), at_c * capped(s))
    first, second = at_c * capped(s) + at_c * beyond(t), at_c * c + at_c * rest
    return (
        chain(at_c * (capped(s) + beyond(t)), first, gcongr(first, most, more), at_c * (c + rest)),
        chain(at_c * (c + rest), second, gcongr(second, least, more), at_c * (capped(s) + beyond(t))),
    )


# -- The incomplete Gamma integral -----------------------------------------------------------------


def closed(p: int, at: Term) -> Term:
    """The closed form of the integral of u^{p-1} e^{-u/scale} from a point on, of `theory`."""
    at_, scale_ = sp.symbols("at scale", positive=True)
    return from_sympy(tail_integral(at_, scale_, p), {at_: at, scale_: scale})


def of_tail(p: int, rate: int | Fraction = 1) -> tuple[Theorem, Theorem]:
    """The integral of u^{p-1} e^{-rate u/scale} from x on."""
    u = x + CLOCK(t)
    decay = exp(-Fraction(rate) * u / scale)
    return integral(tail, t, decay if p == 1 else u * decay)


def closed_form_statements(p: int, rate: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The integral from x to u = x + t is the closed form at x less that at u, and it tends to that
    at x: the rest is at most 2 scale^{p+1}/t.
    """
    given = hypotheses(*of_tail(p, rate))
    rest = closed(p, x) - tail(t)
    return (
        Statement(rest, "==", closed(p, x + CLOCK(t)), given),
        Statement(CLOCK(t) * rest, "<=", 2 * scale ** (p + 1), given),
    )


@cache
def closed_form(p: int) -> tuple[Theorem, Theorem]:
    """Minus the derivative of the closed form is the integrand, and y e^{-y} and (y + y^2) e^{-y}
    are at most 2.
    """
    end = x + CLOCK(t)
    value = is_integral(tail, -closed(p, end), of_tail(p))
    first = arithmetic(closed(p, x + CLOCK(START)), "==", closed(p, x), begin())
    value = chain(tail(t), value, first.lhs - closed(p, end))
    rest = arithmetic(closed(p, x) - tail(t), "==", closed(p, end), value, begin())
    line = arithmetic(N_ * (1 if p == 1 else 1 + N_) * exp(-N_), "<=", 2)
    line = instantiate(line, {N_: end / scale})
    small = chain(
        CLOCK(t) * rest.lhs,
        arithmetic(CLOCK(t) * rest.lhs, "==", CLOCK(t) * rest.rhs, rest, hide=(rest.lhs, rest.rhs)),
    )
    bound = scale ** (p + 1) * line.lhs
    enough = arithmetic(small.rhs, "<=", bound)
    return rest, chain(small, enough, gcongr(bound, line))
