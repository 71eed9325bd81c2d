"""Lemma H.1 of Collins et al. without a derivative: for prompts of every length n >= 2 some
multiple of BB' has a loss below that of 0 by a number that is written out.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, mean, n, o, over, tokens
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.equal_weights import bounds
from proofs_check.derivations.window.subspace.prompts import tilt
from proofs_check.derivations.window.subspace.prompts.shares import (
    excess,
    height,
    in_range,
    inner,
    level_0,
    of,
    of_shares,
    of_the_products,
    part,
    small,
    total,
    weights,
)
from proofs_check.derivations.window.subspace.prompts.weights import g, pairs

share_, unit_ = Range(Fraction(0), Fraction(1), False, False), Range(Fraction(-1), Fraction(1), False, False)
h_, a_ = (Variable(name, range=unit_) for name in ("h1", "a1"))
s_, t_ = (Variable(name, range=share_) for name in ("s1", "t1"))
x = Variable("x1", range=unit_)
average = tokens(height(i)) / n
c = small
#: What the share of a token is off the line, times n.
rest = n * excess(c, i) - c * (height(i) - average)
cubic = pairs((height(i) - average) * over(X(i, j, o) * X(g, j, o)))


@cache
def uniform_heights() -> tuple[Theorem, ...]:
    """What is used of the heights over a fixed direction."""
    return (
        assume("u_i and -u_i have one law", mean(cubic), "==", mean(-cubic)),
        assume("uniform tokens: E (u.u_i)^2 = 1/k", mean(height(i) ** 2), "==", 1 / d, every=(i,)),
        assume("uniform tokens: different ones are uncorrelated", mean(tokens(height(i)) ** 2), "==", n / d),
    )


@cache
def of_the_weight() -> tuple[Theorem, Theorem]:
    """1 + ch <= e^{ch} <= 1 + ch + c^2 for |h| <= 1 and c <= 1."""
    low, up = (show(1 + x, "<=", exp(x)), show(exp(x), "<=", 1 + x + x**2))
    at = c * height(i)
    near, far = in_range()
    inside = show(at, "<=", 1, near, height(i)), show(-1, "<=", at, far, height(i))
    low, up = (instantiate(thm, {x: at}, *inside) for thm in (low, up))
    square = show(at**2, "<=", c**2, near, far, height(i))
    return low, calc(up, ("<=", 1 + at + c**2, square, at))


@cache
def of_the_line() -> tuple[Theorem, Theorem]:
    """w - M(1 + c(h - a)) is within 5c^2 of 0 for w = 1 + ch + c^2 s and M = 1 + ca + c^2 t."""
    value = s_ - t_ * (1 + c * (h_ - a_)) - a_ * (h_ - a_)
    w, M = 1 + c * h_ + c**2 * s_, 1 + c * a_ + c**2 * t_
    off = w - M * (1 + c * (h_ - a_))
    found = []
    for sign in (1, -1):
        bound = show(sign * value, "<=", 5)
        bound = gcongr(c**2 * bound.lhs, bound)
        found.append(calc(sign * off, ("==", bound.lhs), ("<=", 5 * c**2, bound)))
    return found[0], found[1]


@cache
def average_in_range() -> tuple[Theorem, Theorem]:
    """The average height lies in [-1, 1]."""
    found = []
    for sign, thm in zip((1, -1), in_range(), strict=True):
        whole = integrate("coordinates", (i,), thm, (n,))
        found.append(
            calc(
                sign * average,
                ("==", whole.lhs / n),
                ("<=", whole.rhs / n, gcongr(whole.lhs / n, whole)),
                ("==", 1),
            )
        )
    return found[0], found[1]


@cache
def of_the_rest() -> tuple[Theorem, Theorem]:
    """n times the share of a token is within 15c^2 of 1 + c(h_i - h), with the average h."""
    (low, up), (near, far) = of_the_weight(), in_range()
    below, above = (integrate("coordinates", (i,), thm, (n,)) for thm in (low, up))
    Y, w, h = total(c), of(c, i), height(i)
    M = Y / n
    in_unit = average_in_range()
    S_low = calc(n * (1 + c * average), ("==", below.lhs), ("<=", Y, below))
    S_up = calc(Y, ("==", above.lhs), ("<=", above.rhs, above), ("==", n * (1 + c * average + c**2)))
    S_low = show(1 + c * average, "<=", M, S_low, average, Y, n)
    S_up = chain(gcongr(M, S_up), show(S_up.rhs / n, "==", 1 + c * average + c**2, average, n))
    s, t = (w - 1 - c * h) / c**2, (M - 1 - c * average) / c**2
    ends = []
    for value, first, second, top in ((s, low, up, w - 1 - c * h), (t, S_low, S_up, M - 1 - c * average)):
        zero = show(0, "<=", top, first, w, h, M, average)
        one = calc(gcongr(top, second), ("==", c**2, h, average))
        ends += [show(0, "<=", value, zero, top), show(value, "<=", 1, one, top)]
    put = {h_: h, a_: average, s_: s, t_: t}
    least = weights(c)[2]
    third = show(Fraction(1, 3), "<=", exp(-c))
    size = show(Fraction(1, 3), "<=", M, chain(gcongr(n * third.lhs, third), least), Y, n)
    found = []
    for sign, thm in zip((1, -1), of_the_line(), strict=True):
        line = instantiate(thm, put, near, far, *in_unit, *ends)
        off = w - M * (1 + c * (h - average))
        line = calc(sign * off, ("==", line.lhs, w, M, h, average), ("<=", 5 * c**2, line))
        small_ = show(sign * off / M, "<=", 15 * c**2, line, size, sign * off, M)
        found.append(
            calc(sign * rest, ("==", sign * off / M, w, Y, h, average, n), ("<=", 15 * c**2, small_))
        )
    return found[0], found[1]


#: What a token adds to the slope, and the loss at c over kappa^2.
slope = pairs((height(i) - average) * inner)
value = over(tokens(of(c, i) * part(i)) ** 2) / total(c) ** 2


def over_pairs(thm: Theorem) -> Theorem:
    return integrate("coordinates", (i,), integrate("coordinates", (g,), thm, (n,)), (n,))


@cache
def from_above() -> Theorem:
    """The signal at c <= 1 is at most that at 0, 2c/n^2 times the slope, and 1276c^2."""
    (up, down), (high, low), ends = of_the_rest(), of_the_products(), average_in_range()
    near, far = in_range()
    bound, wide, r, h = 15 * c**2, 17 * c, excess(c, i), height(i)
    size = [
        calc(
            sign * (n * r),
            ("==", sign * c * (h - average) + thm.lhs, n, r, h, average),
            ("<=", wide, thm, *ends, near, far, thm.lhs, h, average),
        )
        for sign, thm in ((1, up), (-1, down))
    ]
    other = [instantiate(thm, {i: g}) for thm in size]
    one, two = n * r, n * excess(c, g)
    rests = over_pairs(show(rest * inner, "<=", 4 * bound, up, down, high, low, rest, inner, bound))
    product = (
        show(one * two, "<=", wide**2, *size, *other, one, two, wide),
        show(-(one * two), "<=", wide**2, *size, *other, one, two, wide),
    )
    squares = over_pairs(
        show(one * two * inner, "<=", 4 * wide**2, *product, high, low, one * two, inner, wide**2)
    )
    known = of_shares(c)
    first, second = gcongr(2 / n**2 * rests.lhs, rests), gcongr(squares.lhs / n**2, squares)
    first = calc(first, ("==", 120 * c**2))
    second = calc(second, ("==", 1156 * c**2))
    line = 2 / n**2 * (c * slope)
    return calc(
        value,
        ("==", level_0 + known.lhs),
        ("==", level_0 + known.rhs, known, *sides(known), level_0),
        ("==", level_0 + (line + first.lhs + second.lhs)),
        (
            "<=",
            level_0 + (line + first.rhs + second.rhs),
            first,
            second,
            level_0,
            line,
            *sides(first),
            *sides(second),
        ),
        ("==", level_0 + line + 1276 * c**2, level_0, line),
    )


@cache
def of_the_slope() -> Theorem:
    """The mean slope is -n(n - 1)/k."""
    odd, square, sums = uniform_heights()
    h = height(i)
    zero = calc(odd.lhs, ("==", (odd.lhs + odd.rhs) / 2, odd, *sides(odd)), ("==", 0))
    spread = tokens(h**2) - tokens(h) ** 2 / n
    each = show(slope, "==", cubic - n * spread)
    squares = integrate("coordinates", (i,), square, (n,))
    return calc(
        integrate("mean", (o,), each),
        ("==", zero.lhs - n * (squares.lhs - sums.lhs / n)),
        (
            "==",
            -(n * (squares.rhs - sums.rhs / n)),
            zero,
            squares,
            sums,
            zero.lhs,
            *sides(squares),
            *sides(sums),
            n,
        ),
        ("==", -(n * (n / d - (n / d) / n))),
        ("==", -(n * (n - 1) / d)),
    )


@cache
def less_than_at_0() -> Theorem:
    """For c <= 1 the mean of the signal is at most that at 0, less 2c(n - 1)/(nk), and 1276c^2."""
    means, known = integrate("mean", (o,), from_above()), of_the_slope()
    start = mean(level_0)
    return calc(
        means,
        ("==", start + 2 * c / n**2 * known.lhs + 1276 * c**2),
        ("==", start + 2 * c / n**2 * known.rhs + 1276 * c**2, known, *sides(known), start, n),
        ("==", start - 2 * c * (n - 1) / (n * d) + 1276 * c**2, start),
    )


#: A multiple that is good enough, and how much less its loss is.
best = bounds[2] * (n - 1) / (2552 * n * d)
fall = bounds[2] * (n - 1) ** 2 / (2552 * n**2 * d**2)


@cache
def at_a_multiple() -> Theorem:
    """At c = (n - 1)/(1276nk) the mean of the signal is at most that at 0 less `fall`."""
    several = tilt.one_token()[2]
    ranges = show(0, "<", best, several), show(best, "<=", 1, several)
    known = instantiate(less_than_at_0(), {small: best}, *ranges)
    start = mean(level_0)
    off = show(-2 * best * (n - 1) / (n * d) + 1276 * best**2, "<=", -fall, several, n, d)
    return calc(known, ("==", start + off.lhs), ("<=", start - fall, off, start, off.lhs))
