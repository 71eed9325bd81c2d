"""The pairs of tokens in what the spurious parts add to the signal: over the flips of both tokens
and both of their orders a pair adds at least a positive multiple of (alpha_i - alpha_g)^2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, l, mean, o, over, q, tokens
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.equal_weights import of_the_class
from proofs_check.derivations.window.subspace.low_rank import gamma
from proofs_check.derivations.window.subspace.prompts.weights import (
    S_0,
    S,
    along,
    along_0,
    alpha,
    both,
    centre,
    centre_0,
    e,
    g,
    gap,
    height,
    plain,
    scale,
    weight,
)

Weight = Callable[[Variable], Term]
w = Variable("w", range=REALS)
h_i, h_g = height(i), height(g)
x_, y_ = plain(i) * gamma(h_g, h_i), plain(g) * gamma(h_i, h_g)


def apart(one: Variable, two: Variable) -> Term:
    return Function("D", (Sort.INDEX, Sort.INDEX))(one, two) ** 2


def others(value: Term) -> Term:
    """The sum of the values at l over the tokens other than i and g."""
    return tokens(apart(i, l) * apart(g, l) * value, l)


def off(of: Weight) -> Term:
    """The sum of the weights times 1 - h over the other tokens."""
    return others(of(l) * (1 - height(l)))


@cache
def same_token() -> Theorem:
    """D_ig^2 is 1 for different tokens and 0 for the same."""
    return assume("D_ig^2 is 0 for the same token", gap, "==", apart(i, g) * gap, every=(i, g, o, q))


@cache
def of_different_tokens(name: str, value: Term) -> Theorem:
    """A sum of values of the tokens holds those of two different tokens and of the others."""
    at = lambda index: instantiated(value, {l: index})
    return assume(
        f"D_ig^2 is 1 for different tokens, and both stand in the sum of {name}",
        apart(i, g) * tokens(value, l),
        "==",
        apart(i, g) * (at(i) + at(g) + others(value)),
        every=(i, g, o, q),
    )


@cache
def sums_over_tokens() -> dict[tuple[Weight, bool], Theorem]:
    """The sums in which two different tokens stand, by the weights, and whether times 1 - h."""
    found: dict[tuple[Weight, bool], Theorem] = {}
    for of, name in ((weight, "the weights"), (plain, "the weights without spurious parts")):
        found[of, False] = of_different_tokens(name, of(l))
        found[of, True] = of_different_tokens(f"{name} times 1 - h", of(l) * (1 - height(l)))
    return found


#: The sums of the weights of the pair and the others, with both orders of the alpha, and
#: without alpha.
rest, rest_0 = others(weight(l)), others(plain(l))
T, swapped = (
    alpha(i) * one + alpha(g) * two + rest for one, two in ((plain(i), plain(g)), (plain(g), plain(i)))
)
T_0 = plain(i) + plain(g) + rest_0
bracket = (h_g - h_i) * off(weight) + alpha(i) * x_ - alpha(g) * y_
bracket_swapped = (h_i - h_g) * off(weight) + alpha(i) * y_ - alpha(g) * x_
bracket_0 = (h_g - h_i) * off(plain) + x_ - y_


def flipped(flip: int = 1, other: int = 1, *, of: Weight, at: Term) -> Term:
    """(u_i - u_g).V, with the parts of the tokens perpendicular to e reversed or not."""
    turn = lambda h, at, sign: h * e + sign * (at - h * e)
    one, two = turn(h_i, X(i, j, o), flip), turn(h_g, X(g, j, o), other)
    return over((one - two) * (at + of(i) * (one - X(i, j, o)) + of(g) * (two - X(g, j, o))))


def of_the_flip(*signs: int) -> Term:
    """What a pair adds, after the flips."""
    parts = [flipped(*signs, of=of, at=at) for of, at in ((weight, centre), (plain, centre_0))]
    return gap * (scale * both(*parts))


here = gap * (scale * (bracket / (S**2 * S_0) + bracket_0 / (S_0**2 * S)))
there = gap * (scale * (bracket_swapped / (swapped**2 * S_0) - bracket_0 / (S_0**2 * swapped)))


@cache
def uniform_pairs() -> tuple[Theorem, ...]:
    """What is used of independent uniform tokens, of which the same have the same alpha."""
    flips = [
        assume(
            f"the flip keeps the law of {name}",
            mean(of_the_flip(1, 1)),
            "==",
            mean(of_the_flip(*signs)),
            every=(i, g, q),
        )
        for name, signs in (("u_i", (-1, 1)), ("u_g", (1, -1)), ("u_i and u_g", (-1, -1)))
    ]
    crossed = mean(gap**2 * (h_i * h_g))
    return (
        assume("|u_i| = 1", over(X(i, j, o) ** 2), "==", 1, every=(i, o)),
        *flips,
        assume("u_i and u_g may be exchanged", mean(here), "==", mean(there), every=(i, g, q)),
        assume("u_i and u_g are uncorrelated, given the v_i", crossed, "==", 0, every=(i, g, q)),
    )


def times(factor: Term, thm: Theorem) -> Theorem:
    """An equation times a factor, which is a number until it is put in."""
    return instantiate(show(w * thm.lhs, "==", w * thm.rhs, thm), {w: factor})


@cache
def in_the_pair(of: Weight, deep: bool = False) -> Theorem:
    """gap times a sum over the tokens l is gap times its parts."""
    parts, zero = sums_over_tokens()[of, deep], same_token()
    at = lambda index: of(index) * (1 - height(index)) if deep else of(index)
    right, sum_ = at(i) + at(g) + others(at(l)), tokens(at(l), l)
    moved, back, at_parts = times(sum_, zero), times(right, zero), times(gap, parts)
    whole = calc(moved, ("==", at_parts.lhs), ("==", at_parts.rhs, at_parts), ("==", back.rhs))
    return calc(whole, ("==", back.lhs, back, *sides(back)))


@cache
def over_the_flips(of: Weight, at: Term, here: Term) -> Theorem:
    """gap times the sum of (u_i - u_g).V over the four flips is 4 gap bracket."""
    unit, size = of_the_class()[1], uniform_pairs()[0]
    other = instantiate(size, {i: g})
    P, down = unit.lhs, tokens(of(l) * (1 - height(l)), l)
    flat, high = tokens(of(l) * (height(l) - P), l), of(i) * h_i + of(g) * h_g
    square = lambda h, length: length - 2 * h**2 + h**2 * P
    half = (h_i - h_g) * (flat - high * (1 - P))
    half = half + of(i) * square(h_i, size.lhs) - of(g) * square(h_g, other.lhs)
    level_sum, known = show(flat, "==", -down, unit), in_the_pair(of, True)
    ends = of(i) * (1 - h_i**2) - of(g) * (1 - h_g**2)
    letters = P, size.lhs, other.lhs, flat, down, of(i), of(g), h_i, h_g
    at_one = show(half, "==", ends - (h_i - h_g) * down, unit, size, other, level_sum, *letters)
    sums = [flipped(*signs, of=of, at=at) for signs in ((1, 1), (-1, 1), (1, -1), (-1, -1))]
    return calc(
        gap * (sums[0] + sums[1] + sums[2] + sums[3]),
        ("==", 4 * gap * half),
        ("==", 4 * gap * at_one.rhs, at_one, gap, *sides(at_one)),
        ("==", 4 * (gap * ends - (h_i - h_g) * known.lhs)),
        ("==", 4 * (gap * ends - (h_i - h_g) * known.rhs), known, gap * ends, h_i - h_g, *sides(known)),
        ("==", 4 * gap * here),
    )


@cache
def without_the_flips() -> Theorem:
    """The mean of what a pair adds is that of its brackets."""
    flips = uniform_pairs()[1:4]
    value = flips[0].lhs
    turned = flips[0].rhs + flips[1].rhs + flips[2].rhs
    sums, sums_0 = over_the_flips(weight, centre, bracket), over_the_flips(plain, centre_0, bracket_0)
    each = show(scale * both(sums.lhs, sums_0.lhs), "==", scale * both(sums.rhs, sums_0.rhs), sums, sums_0)
    whole = integrate("mean", (o,), each)
    return calc(
        mean(gap * (scale * both(along, along_0))),
        ("==", value),
        ("==", (value + turned) / 4, *flips, value, *(x.rhs for x in flips)),
        ("==", whole.lhs / 4),
        ("==", whole.rhs / 4, whole, *sides(whole)),
        ("==", mean(here)),
    )
