"""Integrals of the proof of Lemma C.4. An integral from a point on is a path in time: its
derivative is the integrand, and it starts at 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import N_, chain, exp, log, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative, up_to
from numerics.derivations.kernel.rules import antitone, arithmetic, assume, begin, instantiate, until
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import for_each, proves
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
    flat = show(derivative(path(t) - value, t), "==", 0, rate)
    constant, first = antitone(path(t) - value, t, flat), instantiated(value, {t: START})
    return show(path(t), "==", value - first, constant, start)


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
    now, least = CLOCK(t), Op("ind", (c - N_,))
    below = instantiate(arithmetic(c / Op("max", (c, N_)), "<=", 1), {N_: now})
    slow = show(derivative(capped(t) - now, t), "<=", 0, calc(rate, ("<=", 1, below)))
    upper = show(capped(t), "<=", now, antitone(capped(t) - now, t, slow), start, begin())
    one = assume("I' >= 1", 1, "<=", capped.rate(t), every=(t,))
    fast = show(derivative(now - capped(t), t), "<=", 0, one)
    lower = show(now, "<=", capped(t), antitone(now - capped(t), t, fast), start, begin())
    early = instantiate(arithmetic(least * 1, "<=", least * (c / Op("max", (c, N_)))), {N_: now})
    return upper, until(lower, c, chain(early, arithmetic(early.rhs, "==", up_to(c, capped.rate(t)), rate)))


@proves("BB:LC.4.int/split", split_statements, part=(1, 2))
@cache
def split() -> tuple[Theorem, Theorem]:
    """Both integrals, of which the first one is c at c."""
    upper, lower = (instantiate(thm, {t: s}) for thm in up_to_c())
    rest = c * log((c + CLOCK(t)) / c)
    more = calc(is_integral(beyond, c * log(c + CLOCK(t)), of_beyond), ("==", rest, begin()))
    both, value, now = at_c * (capped(s) + beyond(t)), at_c * (c + rest), CLOCK(s)
    least = calc(arithmetic(at_c * c, "<=", at_c * now), ("<=", at_c * capped(s), lower))
    return (
        calc(
            both,
            ("<=", at_c * (now + rest), upper, more),
            ("<=", value, arithmetic(at_c * now, "<=", at_c * c)),
        ),
        calc(value, ("==", at_c * c + at_c * rest), ("<=", both, least, symm(more))),
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
    start = arithmetic(closed(p, x + CLOCK(START)), "==", closed(p, x), begin())
    value = calc(is_integral(tail, -closed(p, end), of_tail(p)), ("==", closed(p, x) - closed(p, end), start))
    rest = show(closed(p, x) - tail(t), "==", closed(p, end), value)
    line = instantiate(arithmetic(N_ * (1 if p == 1 else 1 + N_) * exp(-N_), "<=", 2), {N_: end / scale})
    return rest, calc(
        CLOCK(t) * rest.lhs,
        ("==", CLOCK(t) * closed(p, end), rest),
        ("<=", scale ** (p + 1) * line.lhs),
        ("<=", 2 * scale ** (p + 1), line),
    )


_both = for_each((1, 2), closed_form_statements)
proves("BB:LC.4.sub/closed", _both, part=range(1, 5))(for_each((1, 2), closed_form))
