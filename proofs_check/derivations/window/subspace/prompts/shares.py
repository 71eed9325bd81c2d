"""The loss of cBB' without noise near 0, by the shares of the tokens: it falls from 0 on, and it is
above that at 0 less a multiple of c.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import Defined, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, n, o, over, tokens
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace.cosines import level_, sides
from proofs_check.derivations.window.subspace.prompts.pairs import uniform_pairs
from proofs_check.derivations.window.subspace.prompts.weights import g, pairs

small = Variable("c3", range=Range(Fraction(0), Fraction(1), True, False))


def height(index: Variable) -> Term:
    return over(p(j) * X(index, j, o))


def part(index: Variable) -> Term:
    return X(index, j, o) - p(j)


def of(c: Term, index: Variable) -> Term:
    return exp(c * height(index))


def total(c: Term) -> Term:
    return Defined("Y", tokens(of(c, i)))


def excess(c: Term, index: Variable) -> Term:
    """What the share of a token is more than 1/n."""
    return of(c, index) / total(c) - 1 / n


inner = over(part(i) * part(g))
level_0 = over(tokens(part(i)) ** 2) / n**2


@cache
def unit() -> Theorem:
    return assume("|u| = 1 for the fixed direction", over(p(j) ** 2), "==", 1)


@cache
def in_range() -> tuple[Theorem, Theorem]:
    """The heights lie in [-1, 1]."""
    size, found = uniform_pairs()[0], []
    for sign in (1, -1):
        square = over((X(i, j, o) - sign * p(j)) ** 2)
        whole = calc(square, ("==", size.lhs - 2 * sign * height(i) + unit().lhs))
        found.append(show(sign * height(i), "<=", 1, whole, size, unit(), show(0, "<=", square), square))
    return found[0], found[1]


@cache
def of_the_products() -> tuple[Theorem, Theorem]:
    """-4 <= (u_i - u).(u_g - u) <= 4."""
    size, found = uniform_pairs()[0], []
    lengths = []
    for index in (i, g):
        own = instantiate(size, {i: index})
        low = instantiate(in_range()[1], {i: index})
        whole = calc(over(part(index) ** 2), ("==", own.lhs - 2 * height(index) + unit().lhs))
        lengths.append(
            show(whole.lhs, "<=", 4, whole, own, unit(), low, whole.lhs, own.lhs, unit().lhs, height(index))
        )
    for sign in (1, -1):
        square = over((part(i) - sign * part(g)) ** 2)
        whole = calc(square, ("==", lengths[0].lhs + lengths[1].lhs - 2 * sign * inner))
        found.append(
            show(
                sign * inner,
                "<=",
                4,
                whole,
                *lengths,
                show(0, "<=", square),
                square,
                lengths[0].lhs,
                lengths[1].lhs,
                inner,
            )
        )
    return found[0], found[1]


@cache
def of_shares(c: Term) -> Theorem:
    """The signal less that of equal weights, by what the shares are more than 1/n."""
    first, second = excess(c, i), excess(c, g)
    V, V_0 = tokens(of(c, i) * part(i)), tokens(part(i))
    mixed, square, square_0 = over(V * V_0), over(V**2), over(V_0**2)
    Y = total(c)
    linear = show(pairs(first * inner), "==", mixed / Y - square_0 / n)
    both = show(pairs(first * second * inner), "==", square / Y**2 - 2 * mixed / (n * Y) + square_0 / n**2)
    return calc(
        square / Y**2 - level_0,
        ("==", both.rhs + 2 / n * linear.rhs, square, square_0, mixed, Y, n),
        ("==", both.lhs + 2 / n * linear.lhs, both, linear, *sides(both), *sides(linear), n),
    )


@cache
def weights(c: Variable) -> tuple[Theorem, ...]:
    """e^{-c} <= e^{ch_i} <= e^c, and n times these for the sum."""
    near, far = in_range()
    low, up = show(-c, "<=", c * height(i), far, height(i)), show(c * height(i), "<=", c, near, height(i))
    low, up = gcongr(exp(low.lhs), low), gcongr(exp(up.lhs), up)
    below, above = (integrate("coordinates", (i,), thm, (n,)) for thm in (low, up))
    return (
        low,
        up,
        calc(n * exp(-c), ("==", below.lhs), ("<=", total(c), below)),
        calc(total(c), ("==", above.lhs), ("<=", above.rhs, above), ("==", n * exp(c))),
    )


@cache
def of_the_excess() -> tuple[Theorem, Theorem]:
    """The share of a token is within 27c/n of 1/n, for c <= 2."""
    c, r = level_, excess(level_, i)
    low, up, below, above = weights(c)
    w, Y, a, b = low.rhs, total(c), exp(-c), exp(c)
    large = show(w / Y, "<=", b / (n * a), up, below, w, Y, a, b)
    few = show(a / (n * b), "<=", w / Y, low, above, w, Y, a, b)
    ends = show(b / (n * a), "==", exp(2 * c) / n), show(exp(-2 * c) / n, "==", a / (n * b))
    steep, flat = show(exp(2 * c) - 1, "<=", 27 * c), show(1 - 27 * c, "<=", exp(-2 * c))
    most, least = chain(large, ends[0]), chain(ends[1], few)
    bound = exp(2 * c), exp(-2 * c)
    return (
        show(r, "<=", 27 * c / n, most, steep, w / Y, bound[0]),
        show(-r, "<=", 27 * c / n, least, flat, w / Y, bound[1]),
    )


@cache
def from_below() -> Theorem:
    """The signal at c <= 2 is at least that at 0 less 216c."""
    c, (up, down), (high, low) = level_, of_the_excess(), of_the_products()
    r, bound = excess(c, i), 27 * c / n
    each = show(-4 * bound, "<=", r * inner, up, down, high, low, r, inner, bound)
    summed = integrate("coordinates", (i,), integrate("coordinates", (g,), each, (n,)), (n,))
    known = of_shares(c)
    V, V_0 = tokens(of(c, i) * part(i)), tokens(part(i))
    square = over((V / total(c) - V_0 / n) ** 2)
    both = pairs(r * excess(c, g) * inner)
    positive = chain(show(0, "<=", square), show(square, "==", both))
    linear = calc(
        -216 * c,
        ("==", 2 / n * (-4 * n**2 * bound)),
        ("==", 2 / n * summed.lhs),
        ("<=", 2 / n * summed.rhs, gcongr(2 / n * summed.lhs, summed)),
    )
    value = over(V**2) / total(c) ** 2
    return show(level_0 - 216 * c, "<=", value, known, positive, linear, value, level_0, both, linear.rhs)
