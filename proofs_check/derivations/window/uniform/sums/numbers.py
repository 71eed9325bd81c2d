"""The numbers 1, .., M that are at most r, by which Lemma G.4 of Collins et al. cuts the sphere
into shells, and the sum of (1 + l - y) e^{-2(l - y)} over those from y on.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import r
from proofs_check.derivations.window.uniform.cap_measure import over_disk, z

l, M = Variable("l", Sort.INDEX), Variable("M", range=whole(1))
#: The numbers 1, .., M, as exponentials, where M is the whole part of r.
c = exp(Function("log c", (Sort.INDEX,))(l))
t, v = Variable("t", range=REALS), Variable("v", range=REALS)
w, y = Variable("w", range=NONNEGATIVE), Variable("y", range=NONNEGATIVE)
#: A positive number with the tail (1 + Q y) e^{-2y}.
tau = exp(Function("tau", (Sort.QUERY,))(z))
Q = 1 - exp(-2)


def ind(u: Term) -> Term:
    return Op("ind", (u,))


def above(u: Term) -> Term:
    return Op("above", (u,))


def over_numbers(body: Term | int) -> Term:
    return bind("coordinates", (l,), term(body), (M,))


@cache
def numbers() -> tuple[Theorem, ...]:
    """They are at least 1 and at most r, and 1 apart."""
    few = over_numbers(ind(t - c) * above(c - t + 1))
    return (
        assume("c_l >= 1", 1, "<=", c, every=(l,)),
        assume("c_l <= r", c, "<=", r, every=(l,)),
        assume("of 1, .., M at most one lies in (t - 1, t]", few, "<=", 1, every=(t,)),
    )


@cache
def tail() -> Theorem:
    of = lambda probability: ind(t) * probability
    bound = (1 + Q * t) * exp(-2 * t)
    name = "P(tau >= t) = (1 + (1 - e^{-2}) t) e^{-2t} for t >= 0"
    return assume(name, of(over_disk(ind(tau - t))), "==", of(bound), every=(t,))


@cache
def series() -> Theorem:
    """(1 - e^{-2})^2 sum of (1 + c_l - y) e^{-2(c_l - y)} over the c_l >= y is at most 1: a summand
    is the probability of c_l - y <= tau < c_l - y + 1, and only one of these events happens.
    """
    x, on = c - y, ind(c - y)
    one = show(ind(v) - ind(v - 1), "<=", ind(v) * above(1 - v))
    one = instantiate(one, {v: tau - x})
    few = instantiate(numbers()[2], {t: y + tau})
    less = instantiate(show(ind(t) * w, "<=", w), {t: x, w: one.rhs})
    each = calc(on * one.lhs, ("<=", on * one.rhs, one), ("<=", one.rhs, less))
    all_ = chain(integrate("coordinates", (l,), each, (M,)), few.lhs, few)
    means = integrate("query", (z,), all_)
    here, next_ = (instantiate(tail(), {t: e}) for e in (x, x + 1))
    again = instantiate(show(ind(t) * ind(t + 1), "==", ind(t)), {t: x})
    F = lambda e: (1 + Q * e) * exp(-2 * e)
    value = instantiate(show(F(t) - F(t + 1), "==", Q**2 * ((1 + t) * exp(-2 * t))), {t: x})
    P, P1 = over_disk(ind(tau - x)), over_disk(ind(tau - (x + 1)))
    summand = Q**2 * on * ((1 + x) * exp(-2 * x))
    each = calc(
        summand,
        ("==", on * value.lhs, value),
        ("==", on * F(x) - on * ind(x + 1) * F(x + 1), again),
        ("==", on * P - on * ind(x + 1) * P1, here, next_),
        ("==", on * (P - P1), again),
    )
    return chain(integrate("coordinates", (l,), each, (M,)), means.lhs, means, 1)
