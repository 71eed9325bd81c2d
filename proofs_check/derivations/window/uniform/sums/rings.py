"""Rings of the sphere: caps of at most half of it without the caps of a quarter of the height. A
ring has at least 71/100 eps^{(d - 1)/2}/sqrt(2 pi d) of the sphere, where eps is the height.

From dimension 4 on by polar coordinates; on the circle and on the sphere of R^3, where C is larger
than 1/sqrt(2 pi d), by what is known of arcs and of caps there.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt, symm
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import d, k, mean
from proofs_check.derivations.window.uniform.cap_measure import (
    b,
    cap,
    constant,
    constant_from_below,
    dimension,
    height,
    m,
    over_disk,
    pi,
    polar,
    power,
    q,
    u,
    z,
)
from proofs_check.derivations.window.uniform.kernel_sum_order import as_depth, half
from proofs_check.derivations.window.uniform.sums.numbers import above, ind

#: A cap has the height 1/(1 + a), its cotangent, and that of the cap of a quarter of the height.
g = Variable("a", range=NONNEGATIVE)
eps, cotangent = 1 / (1 + g), g / sqrt(1 + 2 * g)
inner = (3 + 4 * g) / sqrt(7 + 8 * g)
#: Minus the logarithm of a height of at most 1.
depth = Variable("w", range=NONNEGATIVE)
#: A cotangent from 0 on, a number, and how much of a cap of polar coordinates a ring has.
s, v, SHARE = Variable("s", range=NONNEGATIVE), Variable("v", range=REALS), Fraction(71, 100)


def within(of: Term) -> Term:
    """Whether a token is in the cap of this height."""
    return ind(of - half)


def ring(of: Term) -> Term:
    """Whether it is in the cap of this height, and not in that of a quarter of it."""
    return within(of) * above(half - of / 4)


def least(of: Term) -> Term:
    """The share of the sphere that a ring has at least."""
    return SHARE * exp((d - 1) / 2 * log(of)) / sqrt(2 * pi * d)


@cache
def rings() -> Theorem:
    """What is shown for each dimension, with the height e^{-w}."""
    share = mean(ring(exp(-depth)))
    low = SHARE * exp(-(d - 1) / 2 * depth) / sqrt(2 * pi * d)
    return assume("a ring of the sphere", low, "<=", share, every=(depth,))


@cache
def heights() -> tuple[Term, Theorem, Theorem]:
    """The number a with 1/(1 + a) = e^{-w}, and both inequalities of this."""
    at = Op("max", (term(0), exp(depth) - 1))
    return at, arithmetic(1 / (1 + at), "<=", exp(-depth)), arithmetic(exp(-depth), "<=", 1 / (1 + at))


def at_the_height(thm: Theorem) -> Theorem:
    """What is shown of rings, with e^{-w} for 1/(1 + a)."""
    at, above_, below_ = heights()
    thm, e = instantiate(thm, {g: at}), 1 / (1 + at)
    logs = calc(-depth, ("==", log(exp(-depth))), ("<=", log(e), gcongr(log(exp(-depth)), below_)))
    logs = show(-(d - 1) / 2 * depth, "<=", (d - 1) / 2 * log(e), logs, log(e))
    low = gcongr(SHARE / sqrt(2 * pi * d) * exp(logs.lhs), logs)
    return chain(rings().lhs, low, thm, gcongr(mean(ring(e)), above_, below_))


def cosine(s: Term) -> Term:
    """The square of the cosine at a point of the disk under a cap."""
    return s**2 / (1 + s**2) * u**2 + b**2


def secant(s: Term) -> Term:
    return cosine(s) ** Fraction(-1, 2)


def edge(s: Term) -> Term:
    """The height over the query at which a cap ends."""
    return s / sqrt(1 + s**2)


@cache
def coordinates() -> Theorem:
    """Polar coordinates for caps of at most half of the sphere."""
    measure = constant * power(1 / (1 + s**2)) * over_disk(secant(s))
    name = "polar coordinates on the sphere, from half of it on"
    return assume(name, cap(edge(s)), "==", measure, every=(s, q), cited=True)


#: The larger of two distances and the quotient of both, and the height of any cap.
chord = Variable("chord", range=Range(Fraction(0), Fraction(2), True, False))
part = Variable("theta", range=Range(Fraction(0), Fraction(1), False, False))
any_height = Variable("eps", range=Range(Fraction(0), Fraction(2), True, False))


@cache
def dimensions() -> tuple[Theorem, Theorem, Theorem]:
    """The three cases."""
    return assume("d = 2", d, "==", 2), assume("d = 3", d, "==", 3), assume("d >= 4", 4, "<=", d)


@cache
def arcs() -> Theorem:
    """On the circle the tokens between two distances lie on two arcs."""
    between = ind(chord**2 / 2 - half) * above(half - (part * chord) ** 2 / 2)
    name = "d = 2: an arc is at least as long as the difference of the chords to its ends"
    return assume(name, (chord - part * chord) / pi, "<=", mean(between), every=(chord, part), cited=True)


@cache
def shares() -> Theorem:
    """On the sphere of R^3 a cap has an area like its height."""
    share = mean(within(any_height))
    return assume(
        "d = 3: a cap of height eps has the share eps/2",
        share,
        "==",
        any_height / 2,
        every=(any_height,),
        cited=True,
    )


@cache
def difference() -> Theorem:
    """A cap has no more than its ring and the smaller cap."""
    w = Variable("w", range=REALS)
    one = arithmetic(ind(v), "<=", ind(v) * above(w) + ind(-w))
    one = integrate("mean", (k,), instantiate(one, {v: eps - half, w: half - eps / 4}))
    return chain(mean(within(eps)), one, mean(ring(eps)) + mean(within(eps / 4)))


@cache
def measure(s_: Term) -> Theorem:
    return instantiate(coordinates(), {s: s_}, arithmetic(0, "<=", s_))


@cache
def in_dimension_4() -> Theorem:
    """The smaller cap has at most (7/16)^{m/2} <= 29/100 of what the larger one has, as m >= 3."""
    plane = show(3, "<=", m, dimensions()[2], dimension())
    large, small = measure(cotangent), measure(inner)
    X, whole_, scale, lens = large.rhs, large.lhs, 1 / (1 + cotangent**2), over_disk(secant(cotangent))
    # the larger cap
    end = arithmetic(1 - eps, "==", edge(cotangent))
    inside = show(
        height - edge(cotangent), "<=", eps - half, end, as_depth(), height, half, eps, edge(cotangent)
    )
    inside = integrate("mean", (k,), gcongr(ind(height - edge(cotangent)), inside))
    outer = chain(whole_, inside)
    # the smaller one
    end = arithmetic(1 - eps / 4, "==", edge(inner))
    inside = show(eps / 4 - half, "<=", height - edge(inner), end, as_depth(), height, half, eps, edge(inner))
    inside = integrate("mean", (k,), gcongr(ind(eps / 4 - half), inside))
    share = gcongr(small.rhs, arithmetic(1 / (1 + inner**2), "<=", Fraction(7, 16) * scale))
    angle = arithmetic(cotangent**2 / (1 + cotangent**2), "<=", inner**2 / (1 + inner**2))
    thinner = integrate("query", (z,), gcongr(secant(inner), angle))
    less = show(m / 2 * log(Fraction(7, 16)), "<=", Fraction(3, 2) * log(Fraction(7, 16)), plane)
    rest = calc(
        chain(inside, small, share),
        ("<=", constant * power(Fraction(7, 16) * scale) * lens, thinner),
        ("==", exp(less.lhs) * X),
        ("<=", exp(less.rhs) * X, less),
        ("<=", Fraction(29, 100) * X, arithmetic(exp(less.rhs), "<=", Fraction(29, 100))),
        ("==", Fraction(29, 100) * whole_, large),
    )
    # and the ring, as the secant is at least 1
    one, square = u**2 + b**2, polar()[0]
    most = chain(gcongr(cosine(cotangent), arithmetic(cotangent**2 / (1 + cotangent**2), "<=", 1)), one)
    unit = arithmetic(1, "==", one ** Fraction(-1, 2), square, hide=(one,))
    unit = calc(unit, ("<=", secant(cotangent), gcongr(unit.rhs, most)))
    unit = integrate("query", (z,), unit)
    wide = gcongr(power(eps), arithmetic(eps, "<=", scale))
    exponent = show((d - 1) / 2 * log(eps), "<=", m / 2 * log(eps), dimension(), log(eps))
    low = calc(
        least(eps),
        ("<=", SHARE * constant * exp(exponent.lhs), constant_from_below()),
        ("<=", SHARE * constant * power(eps), exponent),
        ("<=", SHARE * constant * power(scale), wide),
        ("<=", SHARE * X, gcongr(SHARE * constant * power(scale) * unit.lhs, unit)),
        ("==", SHARE * whole_, large),
    )
    both = chain(outer, difference(), gcongr(difference().rhs, rest))
    return at_the_height(
        show(least(eps), "<=", mean(ring(eps)), low, both, least(eps), whole_, mean(ring(eps)))
    )


@cache
def caps_from_above() -> Theorem:
    """A cap of height e^{-w} has at most (2 e^{-w})^{m/2}/2 of the sphere, as the secant is at most
    1/b.
    """
    at, above_, below_ = heights()
    found, scale = measure(cotangent), 1 / (1 + cotangent**2)
    end = arithmetic(1 - eps, "==", edge(cotangent))
    inside = show(
        eps - half, "<=", height - edge(cotangent), end, as_depth(), height, half, eps, edge(cotangent)
    )
    inside = integrate("mean", (k,), gcongr(within(eps), inside))
    most = gcongr(secant(cotangent), show(b**2, "<=", cosine(cotangent)))
    most = integrate("query", (z,), calc(most, ("==", 1 / b)))
    _, _, half_, symmetric = polar()
    lens, whole_ = over_disk(secant(cotangent)), constant * over_disk(1 / b)
    cap_ = calc(
        chain(inside, found),
        ("<=", constant * power(2 * eps) * lens, arithmetic(scale, "<=", 2 * eps)),
        ("<=", power(2 * eps) * whole_, gcongr(constant * power(2 * eps) * lens, most)),
        ("==", power(2 * eps) / 2, chain(symm(half_), symmetric)),
    )
    cap_, e = instantiate(cap_, {g: at}), 1 / (1 + at)
    return calc(
        mean(within(exp(-depth))),
        ("<=", mean(within(e)), below_),
        ("<=", cap_.rhs, cap_),
        ("<=", power(2 * exp(-depth)) / 2, above_),
    )


@cache
def on_the_circle() -> Theorem:
    """For d = 2: sqrt(eps/2)/pi, from chords of which the smaller is half of the larger."""
    long = sqrt(2 * eps)
    found = instantiate(arcs(), {chord: long, part: term(Fraction(1, 2))}, arithmetic(long, "<=", 2))
    plane = dimensions()[0]
    size = show((d - 1) / 2 * log(eps), "<=", log(eps) / 2, plane, log(eps))
    less = show(SHARE / sqrt(2 * pi * d), "<=", sqrt(term(2)) / (2 * pi), plane)
    found = calc(
        least(eps),
        ("<=", SHARE / sqrt(2 * pi * d) * exp(size.rhs), size),
        ("<=", less.rhs * exp(size.rhs), less),
        ("==", found.lhs),
        ("<=", found.rhs, found),
        ("==", mean(ring(eps))),
    )
    return at_the_height(found)


@cache
def in_dimension_3() -> Theorem:
    """For d = 3: 3/8 eps."""
    first, second = (instantiate(shares(), {any_height: x}, arithmetic(x, "<=", 2)) for x in (eps, eps / 4))
    space = dimensions()[1]
    size = show((d - 1) / 2 * log(eps), "<=", log(eps), space, log(eps))
    less = show(SHARE / sqrt(2 * pi * d), "<=", Fraction(3, 8), space)
    low = calc(
        least(eps),
        ("<=", SHARE / sqrt(2 * pi * d) * exp(size.rhs), size),
        ("<=", Fraction(3, 8) * exp(size.rhs), less),
        ("==", first.rhs - second.rhs),
    )
    letters = least(eps), mean(ring(eps)), first.lhs, second.lhs
    return at_the_height(show(least(eps), "<=", mean(ring(eps)), low, first, second, difference(), *letters))
