"""R8: for affine tasks and two uniform tokens of the sphere of R^3 no width from 16 on minimises
the in-context loss, however little noise there is: the loss is larger than at 13/10.

What the heights t, t' gain at a width is bounded by polynomials in them at 13/10, and by |t - t'|
and steps in |t - t'| at large widths.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, k, l, mean, two_moments
from proofs_check.derivations.window.sphere_in_3d.heights import (
    apart,
    at_a_height,
    distance_of_heights,
    in_range,
    moments,
    near,
    s,
    seldom_near,
    strictly,
    three,
    uniform,
)
from proofs_check.derivations.window.sphere_in_3d.two_tokens import (
    W,
    at_l,
    first,
    gain,
    loss,
    noise,
    of_the_heights,
    on_the_line,
    second,
    sigma,
    t,
    t_l,
)
from proofs_check.derivations.window.uniform.cap_measure import q
from proofs_check.derivations.window.uniform.kernel_means import sphere, w
from proofs_check.derivations.window.uniform.loss_bounds import Lip
from proofs_check.derivations.window.uniform.loss_bounds import uniform as uniform_tasks

BEST, LEAST = Fraction(13, 10), 16
omega = Variable("omega", range=Range(Fraction(LEAST), lo_open=False))
#: A difference of heights, how far they are apart, and the product of two heights.
u, p = Variable("u", range=REALS), Variable("p", range=REALS)
z = Variable("z", range=Range(Fraction(0), Fraction(2), False, False))
far, both = apart(t, t_l), t * t_l


def by_the_difference(u: Term, p: Term, at: Term) -> Term:
    """What two heights with this difference and product gain, besides their sum."""
    falls = exp(-2 * at * u)
    return u * ((1 - falls) / (1 + falls)) + 2 * falls / (1 + falls) ** 2 * (1 - p)


@cache
def by_their_distance() -> Theorem:
    """What the heights gain depends on their distance and their product, besides their sum."""
    falls = exp(-2 * w * (t - t_l))
    ratio = show(at_l(W), "==", W * falls)
    even = arithmetic(by_the_difference(u, p, w), "==", by_the_difference(apart(u, term(0)), p, w))
    even = instantiate(even, {u: t - t_l, p: both})
    found = show(gain, "==", t + t_l + even.lhs, ratio, W, at_l(W), falls, t, t_l)
    value = by_the_difference(far, both, w)
    return calc(found, ("==", t + t_l + even.rhs, even), ("==", t + t_l + value))


@cache
def in_the_square() -> tuple[Theorem, ...]:
    """|t - t'| is in [0, 2], and -|t - t'|^2/4 <= t t' <= 1 - |t - t'|."""
    a, b = (Variable(name, range=s.range) for name in ("high", "low"))
    gap, facts = apart(a, b), (*in_range(), *(instantiate(fact, {k: l}) for fact in in_range()))
    said = (
        arithmetic(0, "<=", gap),
        arithmetic(gap, "<=", 2),
        arithmetic(-(gap**2) / 4, "<=", a * b),
        arithmetic(a * b, "<=", 1 - gap),
    )
    return tuple(instantiate(thm, {a: t, b: t_l}, *facts) for thm in said)


#: A polynomial that is below the gain at 13/10, besides the sum of the heights.
LEVEL, SQUARE, PRODUCT = Fraction(12, 25), Fraction(37, 80), Fraction(4, 15)
polynomial = LEVEL + SQUARE * (t - t_l) ** 2 - both / 2 + PRODUCT * (both * (t - t_l) ** 2)
#: Its mean, with the sum.
LOW = LEVEL + SQUARE * Fraction(2, 3) - PRODUCT * Fraction(2, 9)


@cache
def from_below() -> Theorem:
    """The polynomial is linear in the product p of the heights, as the gain is, so that it is
    compared with it at both ends of p, -z^2/4 and 1 - z, for the distance z.
    """
    least, most, *ends = in_the_square()
    falls = exp(-2 * BEST * z)
    weights = 2 * falls / (1 + falls) ** 2
    rest = z * ((1 - falls) / (1 + falls)) + weights - LEVEL - SQUARE * z**2
    slope = weights - Fraction(1, 2) + PRODUCT * z**2
    sides = [arithmetic(end * slope, "<=", rest) for end in (-(z**2) / 4, 1 - z)]
    low, high = (instantiate(side, {z: far}, least, most) for side in sides)
    slope, rest = (instantiated(e, {z: far}) for e in (slope, rest))
    larger = Op("max", (low.lhs, high.lhs))
    linear = arithmetic(both * slope, "<=", larger, *ends, hide=(both, slope, ends[0].lhs, ends[1].rhs))
    linear = calc(linear, ("<=", Op("max", (rest, rest)), low, high), ("==", rest))
    gained = instantiate(by_their_distance(), {w: BEST})
    sum_, bounded = t + t_l, by_the_difference(far, both, term(BEST))
    return chain(
        sum_ + polynomial,
        gcongr(sum_ + polynomial, show(polynomial, "<=", bounded, linear)),
        symm(gained),
    )


@cache
def at_best() -> Theorem:
    """The mean of the polynomial, 0.729.., is at most E U at 13/10."""
    (first_, second_), found = moments(), integrate("mean", (l,), integrate("mean", (k,), from_below()))
    m, mm = first_.lhs, second_.lhs
    cube = mean(t**3)
    value = LEVEL + 2 * SQUARE * (mm - m**2) - m**2 / 2 + 2 * PRODUCT * (cube * m - mm**2)
    return calc(
        term(LOW),
        ("==", LEVEL + 2 * SQUARE * second_.rhs - 2 * PRODUCT * second_.rhs**2),
        ("==", value + 2 * m, first_, second_),
        ("==", found.lhs),
        ("<=", found.rhs, found),
    )


#: Where the steps above the gain end, for y = 2w|t - t'|, and what they fall to.
ENDS = (Fraction(3, 2), Fraction(7, 2), Fraction(6))
LEVELS = (Fraction(1001, 2000), Fraction(597, 2000), Fraction(23, 400), Fraction(1, 200))
FALLS = tuple(high - low for high, low in pairwise(LEVELS))
#: A bound of the mean of |t - t'| and of the steps.
HIGH = Fraction(2, 3) + sum(fall * end for fall, end in zip(FALLS, ENDS)) / (2 * LEAST) + LEVELS[-1]


def steps(room: Callable[[Fraction], Term]) -> Term:
    """The steps as a function of how much room there is below the end of each."""
    parts = [fall * strictly(room(end)) for fall, end in zip(FALLS, ENDS)]
    return parts[0] + parts[1] + parts[2] + LEVELS[-1]


@cache
def from_above() -> Theorem:
    """U is at most t + t' + |t - t'| and steps in |t - t'| from the width 16 on."""
    least, most, low, _ = in_the_square()
    y, at = Variable("y", range=NONNEGATIVE), 2 * omega * far
    falls = exp(-y)
    curve = lambda scale: 2 * falls / (1 + falls) ** 2 * scale
    late = show(0, "<=", at, least, far)
    flat = arithmetic(z * ((1 - falls) / (1 + falls)), "<=", z)
    wide = arithmetic(1 + z**2 / 4, "<=", 1 + (2 * omega * z) ** 2 / (16 * LEAST**2))
    wide = chain(show(1 - both, "<=", 1 + far**2 / 4, low), instantiate(wide, {z: far}, least, most))
    climbs = arithmetic(curve(1 + y**2 / (16 * LEAST**2)), "<=", steps(lambda end: end - y))
    later = instantiate(arithmetic(2 * LEAST * z, "<=", 2 * omega * z), {z: far}, least, most)
    at_y = {y: at}
    first_, shares = instantiate(flat, {z: far, y: at}, least, most, late), instantiated(curve(term(1)), at_y)
    return calc(
        instantiate(by_their_distance(), {w: omega}),
        ("<=", t + t_l + far + shares * (1 - both), first_),
        ("<=", t + t_l + far + shares * wide.rhs, wide),
        ("<=", t + t_l + far + steps(lambda end: end - at), instantiate(climbs, at_y, late)),
        ("<=", t + t_l + far + steps(lambda end: end - 2 * LEAST * far), later),
    )


@cache
def at_large_widths() -> Theorem:
    """E U <= 0.718 from the width 16 on: E |t - t'| <= 2/3 and P(|t - t'| < r) <= r."""
    found = integrate("mean", (l,), integrate("mean", (k,), from_above()))
    rare = []
    for end in ENDS:
        inner = instantiate(seldom_near(), {near: term(end / (2 * LEAST))})
        rare.append(integrate("mean", (l,), at_a_height(inner, l)))
    first_, gap = moments()[0], distance_of_heights()
    several = sum((fall * thm.lhs for fall, thm in zip(FALLS, rare)), term(0))
    return calc(
        found,
        ("==", 2 * first_.lhs + gap.lhs + several + LEVELS[-1]),
        ("<=", term(HIGH), first_, gap, *rare),
    )


#: The sum of the squared weights.
squares = first**2 + second**2


@cache
def more_noise() -> Theorem:
    """The sum of the squared weights is at least that at 13/10, from the width 16 on."""
    rise, faster, gap = (
        Variable(name, range=at)
        for name, at in (("rise", NONNEGATIVE), ("faster", NONNEGATIVE), ("gap", REALS))
    )
    order = arithmetic(0, "<=", (1 - exp(-rise * gap)) * (1 - exp(-faster * gap)))
    order = instantiate(order, {rise: 2 * omega - 2 * BEST, faster: 2 * omega + 2 * BEST, gap: t - t_l})
    falls = exp(-2 * w * (t - t_l))
    value, ratio = 1 - 2 * falls / (1 + falls) ** 2, show(at_l(W), "==", W * falls)
    same = show(squares, "==", value, ratio, W, at_l(W), falls)
    here, there = (instantiated(falls, {w: at}) for at in (term(BEST), omega))
    scale, gap_ = 2 * here / ((1 + here) ** 2 * (1 + there) ** 2), (1 - there / here) * (1 - there * here)
    ordered = chain(order, gap_)
    first_, last = (instantiate(same, {w: at}) for at in (term(BEST), omega))
    return calc(
        first_,
        ("<=", first_.rhs + scale * gap_, gcongr(scale * ordered.lhs, ordered)),
        ("==", last.rhs, here, there),
        ("==", last.lhs, symm(last)),
    )


def statement(best: int | Fraction = BEST, widest: int = LEAST) -> Statement:
    """The loss of affine tasks at `best` is below that at every width from `widest` on."""
    beyond = Variable("omega", range=Range(Fraction(widest), lo_open=False))
    given = hypotheses(*uniform_tasks(), *sphere(), *two_moments(), on_the_line(), three(), uniform())
    return Statement(loss(term(Fraction(best))), "<", loss(beyond), given)


@proves("OURS:R8.two", statement)
@cache
def no_minimiser() -> Theorem:
    """The signal term is larger by (LOW - HIGH) L^2/(3d) at least, and the noise term no less."""
    best, scale = term(BEST), Lip**2 / (3 * d)
    near_, far_ = (instantiate(of_the_heights(), {w: at}) for at in (best, omega))
    quiet, loud = (instantiated(sigma**2 * noise, {w: at}) for at in (best, omega))
    below, above = (scale * (2 - gained) for gained in (LOW, HIGH))
    low = calc(near_.lhs + quiet, ("==", near_.rhs + quiet, near_), ("<=", below + quiet, at_best()))
    louder = integrate("mean", (l,), integrate("mean", (k,), more_noise()))
    high = calc(
        above + quiet,
        ("<=", far_.rhs + quiet, at_large_widths()),
        ("==", far_.lhs + quiet, far_),
        ("<=", far_.lhs + loud, louder),
    )
    one = show(squares, "<=", 1, W, at_l(W))
    one = instantiate(integrate("mean", (l,), integrate("mean", (k,), one)), {w: best})
    mean_noise = bind("query", (q,), one.lhs)
    one = chain(integrate("query", (q,), one), 1)
    strict = show(below + sigma**2 * mean_noise, "<", above + sigma**2 * mean_noise, one, mean_noise, scale)
    ends = (integrate("query", (q,), thm) for thm in (low, high))
    return chain(loss(best), next(ends), strict, next(ends), loss(omega))
