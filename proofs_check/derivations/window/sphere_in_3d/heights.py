"""The heights of uniform tokens of the sphere of R^3 over the query, which are uniform on [-1, 1]:
how far two of them are apart, and how often they are near one another.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.integrals import exchange
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import d, j, k, l, mean, two_moments, v
from proofs_check.derivations.window.uniform.cap_measure import height, q, x
from proofs_check.derivations.window.uniform.kernel_means import deep, sphere
from proofs_check.derivations.window.uniform.narrower import shallow

#: A height, and how near to it another one is.
s, near = Variable("s", range=Range(Fraction(-1), Fraction(1), False, False)), Variable("r", range=POSITIVE)
any_height, a, b = (Variable(name, range=REALS) for name in ("s_", "a", "b"))
ARCHIMEDES = "Archimedes: the heights of uniform tokens on the sphere of R^3 are uniform on [-1, 1]"
#: Another token.
h = Variable("h", Sort.TOKEN)


def at(token: Variable) -> Term:
    """The height of a token."""
    return instantiated(height, {k: token})


def event(u: Term) -> Term:
    return Op("ind", (u,))


def strictly(u: Term) -> Term:
    return Op("above", (u,))


def apart(u: Term, v: Term) -> Term:
    """|u - v|"""
    return (2 * event(u - v) - 1) * (u - v)


def tail(s: Term) -> Term:
    """(1 - s)/2, but 1 below -1 and 0 above 1."""
    return Op("max", (term(0), Op("min", (term(1), (1 - s) / 2))))


@cache
def three() -> Theorem:
    return assume("d = 3", d, "==", 3)


@cache
def uniform() -> Theorem:
    return assume(
        ARCHIMEDES,
        mean(event(height - any_height)),
        "==",
        tail(any_height),
        every=(any_height, q),
        cited=True,
    )


@cache
def moments() -> tuple[Theorem, Theorem]:
    """E t = 0 and E t^2 = 1/3 for the height t of a token."""
    first, second = (instantiate(thm, {v: ((j,), x(j, q))}) for thm in two_moments())
    third, gap = term(Fraction(1, 3)), 1 / d - Fraction(1, 3)
    same = show(gap, "==", 0, *(arithmetic(sign * gap, "<=", 0, three()) for sign in (1, -1)), gap)
    return first, calc(second, ("==", 1 / d, sphere()[1]), ("==", third + gap), ("==", third, same))


@cache
def in_range() -> tuple[Theorem, Theorem]:
    """-1 <= t <= 1."""
    return show(-1, "<=", height, shallow(), height), show(height, "<=", 1, deep(), height)


def at_a_height(thm: Theorem, token: Variable) -> Theorem:
    """What holds at every s in [-1, 1], at the height of a token."""
    facts = (instantiate(fact, {k: token}) for fact in in_range())
    return instantiate(thm, {s: at(token)}, *facts)


@cache
def ordered() -> Theorem:
    """1{u > v} 1{v >= s} <= 1{u >= s}."""
    gap, rest = (Variable(name, range=REALS) for name in ("gap", "rest"))
    first = strictly(gap)
    inner = arithmetic(first * rest, "<=", first * (rest + gap))
    steps = (
        arithmetic(first * event(rest), "<=", first * event(first * rest)),
        gcongr(first * event(first * rest), inner),
        instantiate(arithmetic(first * event(first * rest), "<=", event(rest)), {rest: rest + gap}),
    )
    found = instantiate(chain(*steps), {gap: a - b, rest: b - any_height})
    return chain(found, event(a - any_height))


#: The height of a token and of another one, and that the other one is above s and the lower one.
t, other = at(k), at(h)
lower = event(other - s) * strictly(t - other)
higher = event(t - s) * strictly(other - t)


def over_h(body: Term) -> Term:
    return bind("mean", (h,), body)


@cache
def half_the_gap() -> Theorem:
    """max(0, t - s)/2 is at most the probability that another token is between them."""
    top = Variable("top", range=s.range)
    measure = arithmetic(top - s, "<=", 2 * (tail(s) - tail(top)))
    point = arithmetic(event(b - s) - event(b - a), "<=", event(b - s) * strictly(a - b))
    of_s, of_t = (instantiate(uniform(), {any_height: e}) for e in (s, t))
    share, gap = over_h(lower), event(t - s) * (t - s)
    inner = calc(
        t - s,
        ("<=", 2 * (tail(s) - tail(t)), instantiate(measure, {top: t}, *in_range())),
        ("==", 2 * (of_s.lhs - of_t.lhs), of_s, of_t),
        ("==", 2 * over_h(event(other - s) - event(other - t))),
        ("<=", 2 * share, instantiate(point, {a: t, b: other})),
    )
    return show(gap, "<=", 2 * share, inner, share)


@cache
def either_is_lower() -> Theorem:
    """At most one of two tokens is the lower one above s."""
    rest, one = event(other - s) * event(t - s), strictly(a) + strictly(-a)
    put = lambda high, low: instantiate(ordered(), {a: high, b: low, any_height: s})
    first, second = put(t, other), put(other, t)
    order = instantiate(arithmetic(one, "<=", 1), {a: t - other})
    return calc(
        lower + higher,
        ("==", lower * first.lhs + higher * second.lhs),
        ("<=", lower * first.rhs + higher * second.rhs, first, second),
        ("==", rest * order.lhs),
        ("<=", rest, order),
    )


@cache
def above_a_height() -> Theorem:
    """E max(0, t - s) <= (1 - s)^2/4, as either of two tokens is the lower one as often."""
    lower_, higher_ = (mean(over_h(body)) for body in (lower, higher))
    swapped = exchange(higher_)
    whole = chain(mean(half_the_gap().lhs), integrate("mean", (k,), half_the_gap()), 2 * lower_)
    pair = integrate("mean", (k,), integrate("mean", (h,), either_is_lower()))
    of_s = instantiate(uniform(), {any_height: s})
    return calc(
        whole,
        ("==", lower_ + swapped.rhs),
        ("==", lower_ + higher_, swapped),
        ("==", pair.lhs),
        ("<=", pair.rhs, pair),
        ("==", of_s.lhs**2),
        ("==", tail(s) ** 2, of_s),
        ("<=", (1 - s) ** 2 / 4, arithmetic(tail(s) ** 2, "<=", (1 - s) ** 2 / 4)),
    )


@cache
def distance_of_heights() -> Theorem:
    """E |t - s| <= (1 + s^2)/2, and so E |t - t'| <= 2/3 for two tokens."""
    split = instantiate(arithmetic(apart(a, b), "==", 2 * (event(a - b) * (a - b)) - (a - b)), {a: t, b: s})
    above, (first, second) = above_a_height(), moments()
    inner = calc(
        mean(apart(t, s)),
        ("==", mean(split.rhs), split),
        ("==", 2 * above.lhs - first.lhs + s),
        ("<=", 2 * above.rhs + s, above, first),
        ("==", (1 + s**2) / 2),
    )
    every = integrate("mean", (l,), at_a_height(inner, l))
    return calc(every, ("==", (1 + second.lhs) / 2), ("==", term(Fraction(2, 3)), second))


@cache
def seldom_near() -> Theorem:
    """P(|t - s| < r) <= r, as that is P(t >= s - r) - P(t >= s + r) at most."""
    wide, narrow, away = event(a - s + near), event(a - s - near), near - apart(a, s)
    low = gcongr(strictly(away), arithmetic(away, "<=", a - s + near))
    low = chain(low, instantiate(arithmetic(strictly(b), "<=", event(b)), {b: a - s + near}))
    # The kernel tells factors that are the same apart by how they are written.
    high = gcongr(strictly(away + 0), arithmetic(away + 0, "<=", near - a + s))
    both = gcongr(event(a - s - near + 0), arithmetic(a - s - near + 0, "<=", a - s + near))
    both = chain(narrow, gcongr(narrow * both.lhs, both))
    point = calc(
        strictly(away),
        ("==", strictly(away) * high.lhs),
        ("<=", wide * high.rhs, low, high),
        ("==", wide - narrow * wide),
        ("<=", wide - narrow, both),
    )
    ends = [instantiate(uniform(), {any_height: s + sign * near}) for sign in (-1, 1)]
    return calc(
        integrate("mean", (k,), instantiate(point, {a: t})),
        ("==", ends[0].lhs - ends[1].lhs),
        ("==", tail(s - near) - tail(s + near), *ends),
        ("<=", near, arithmetic(tail(s - near) - tail(s + near), "<=", near)),
    )
