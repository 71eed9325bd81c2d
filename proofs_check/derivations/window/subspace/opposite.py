"""The direction of the attention to col(B), as Theorem H.5 uses Lemma H.1: with noise, too, and for
all weights alpha, the loss of the scale c > 0 is less than that of -c, and it falls at 0.

The scale c is c_u^2 c_p, and the dimension k of the tasks is d here.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, l, mean, n, o, over, tokens
from proofs_check.derivations.window.signal import p, v
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.small_windows import (
    A,
    alpha,
    c_a,
    c_u,
    height,
    noise,
    others,
    several_tokens,
    sigma,
    signal,
    slope,
    slope_of_the_loss,
    squares_are_less,
    uniform_tokens,
)

c, y = Variable("c", range=POSITIVE), Variable("y", range=REALS)
kappa_2 = c_a**2 * c_u**2
apart = Function("D", (Sort.INDEX, Sort.INDEX))(i, l) ** 2
at_l = lambda value: instantiated(value, {i: l})
weight, turned = alpha * exp(c * height), alpha * exp(-(c * height))
total, rest = tokens(weight), tokens(apart * at_l(weight), l)
overlap = over(p(j) * tokens(weight * X(i, j, o))) / total


def loss(direction: int, tokens_are: int = 1) -> Term:
    """What is averaged in the loss of the scale c or -c, at the tokens u_i or -u_i."""
    of = weight if direction == tokens_are else turned
    off = tokens_are * X(i, j, o) - p(j)
    return kappa_2 * over((tokens(of * off) / tokens(of)) ** 2) + sigma**2 * tokens((of / tokens(of)) ** 2)


@cache
def reflected_tokens() -> tuple[Theorem, ...]:
    """Tokens on the sphere; all of them may be reversed, and one alone be reflected in the
    hyperplane orthogonal to u, which keeps the others.
    """
    here, there = mean(weight / (weight + rest) * height), mean(turned / (turned + rest) * -height)
    return (
        assume("|u_i| = 1", over(X(i, j, o) ** 2), "==", 1, every=(i, o)),
        assume("u_i and -u_i have one law: the loss", mean(loss(-1)), "==", mean(loss(-1, -1))),
        assume("the flip of token i keeps the law", here, "==", there, every=(i,)),
    )


@cache
def other_tokens() -> tuple[Theorem, Theorem]:
    """D_il^2 is 1 where l is another token than i, and 0 where it is the same."""
    return (
        assume(
            "D_il^2 is 1 for the other tokens, and R_i is the sum of their alpha_l",
            others,
            "==",
            tokens(apart * at_l(alpha), l),
            every=(i,),
        ),
        assume(
            "D_il^2 is 1 for the other tokens, and their weights and that of i are all",
            total,
            "==",
            weight + rest,
            every=(i, o),
        ),
    )


def statements(least: int = 2, sign: int = 1) -> tuple[Statement, Statement]:
    """The loss at c, times `sign`, is less than that at -c, and its slope at 0 than 0."""
    unit, _, _, square, _ = uniform_tokens()
    several, not_0 = several_tokens()
    given = hypotheses(not_0, *((several,) if least >= 2 else ()))
    law = hypotheses(unit, square, *reflected_tokens(), *other_tokens())
    return (
        Statement(sign * mean(loss(1)), "<", sign * mean(loss(-1)), given | law),
        Statement(sign * mean(slope(signal + noise)), "<", term(0), given | hypotheses(*uniform_tokens())),
    )


@cache
def heights_in_range() -> tuple[Theorem, Theorem]:
    """u.u_i and its negative are at most 1."""
    unit, own = uniform_tokens()[0], reflected_tokens()[0]
    found = []
    for sign in (1, -1):
        square = over((X(i, j, o) - sign * p(j)) ** 2)
        whole = calc(square, ("==", own.lhs - 2 * sign * height + unit.lhs))
        some = show(0, "<=", square)
        found.append(show(sign * height, "<=", 1, whole, own, unit, some, square, height, own.lhs, unit.lhs))
    return found[0], found[1]


@cache
def bounds_of_the_weights() -> tuple[Theorem, Theorem, Theorem]:
    """e^{-c} <= e^{ch} and e^{ch}, e^{-ch} <= e^c for a height h."""
    above, below = heights_in_range()
    up, down = (show(c * x.lhs, "<=", c, x) for x in (above, below))
    low = show(-c, "<=", c * height, down, height)
    monotone = lambda thm: show(exp(thm.lhs), "<=", exp(thm.rhs), thm)
    return monotone(low), monotone(up), monotone(down)


@cache
def bounds_of_the_sums() -> tuple[Theorem, Theorem, Theorem]:
    """R_i e^{-c} <= rest, and the weights of all, with token i reflected or not, are at most
    A e^c.
    """
    low, high, down = bounds_of_the_weights()
    several, here = several_tokens()[0], other_tokens()[0]
    scaled = lambda bound: show(apart * at_l(alpha) * bound.lhs, "<=", apart * at_l(alpha) * bound.rhs, bound)
    least, most = (
        integrate("coordinates", (l,), scaled(instantiate(bound, {i: l})), (n,)) for bound in (low, high)
    )
    known = lambda e: show(others * e, "==", here.rhs * e, here, others, here.rhs, e)
    least = chain(others * exp(-c), known(exp(-c)), least, rest)
    most = calc(chain(rest, most, here.rhs * exp(c)), ("==", others * exp(c), known(exp(c))))
    ends = []
    for value, bound in ((weight, high), (turned, down)):
        own = chain(value, show(alpha * bound.lhs, "<=", alpha * exp(c), bound))
        both = show(
            value + rest, "<=", alpha * exp(c) + others * exp(c), own, most, value, rest, alpha, others
        )
        ends.append(calc(both, ("==", A * exp(c), several, A, alpha, others)))
    return least, ends[0], ends[1]


share = 2 * c * alpha * others * exp(-3 * c) / A**2


@cache
def gain() -> Theorem:
    """h (gamma_i - gamma_i') >= 2c alpha_i R_i e^{-3c} h^2/A^2, where gamma_i' is the weight of the
    reflected token: it has the factor h (e^{ch} - e^{-ch}) >= 2c h^2.
    """
    least, *ends = bounds_of_the_sums()
    grows = instantiate(arithmetic(2 * y**2, "<=", y * (exp(y) - exp(-y))), {y: c * height})
    grows = chain(2 * c * height**2, show(grows.lhs * (1 / c), "<=", grows.rhs * (1 / c), grows))
    up, down = (1 / x.lhs for x in ends)
    top = 1 / (A * exp(c))
    above_up, above_down = (show(top, "<=", 1 / x.lhs, x, x.lhs, x.rhs) for x in ends)
    front = alpha * least.lhs * grows.lhs
    return calc(
        share * height**2,
        ("==", front * top * top),
        ("<=", front * top * up, above_up),
        ("<=", front * down * up, above_down),
        ("<=", alpha * rest * grows.lhs * down * up, least),
        ("<=", alpha * rest * grows.rhs * down * up, grows),
        ("==", height * (weight / (weight + rest) - turned / (turned + rest))),
    )


@cache
def positive_overlap() -> Theorem:
    """0 < E u.(sum gamma_i u_i): E h gamma_i is half the mean of h (gamma_i - gamma_i')."""
    unit, _, _, square, _ = uniform_tokens()
    flip, whole = reflected_tokens()[2], other_tokens()[1]
    square = calc(instantiate(square, {v: ((j,), p(j))}), ("==", 1 / d, unit))
    here, there = weight / (weight + rest) * height, turned / (turned + rest) * height
    means = integrate("mean", (o,), gain())
    each = calc(
        share / (2 * d),
        ("==", share * square.lhs / 2, square),
        ("<=", (mean(here) - mean(there)) / 2, means),
        ("==", (mean(here) + flip.rhs) / 2),
        ("==", mean(here), flip, *sides(flip)),
        ("==", mean(weight * height / total), whole),
    )
    return calc(
        0,
        ("<", tokens(share / (2 * d))),
        ("<=", tokens(each.rhs), each),
        ("==", mean(overlap)),
    )


@cache
def difference() -> Theorem:
    """The loss at the tokens -u_i less that at u_i is 4 kappa^2 u.(sum gamma_i u_i)."""
    N = tokens(weight * X(i, j, o))
    far, near = (tokens(weight * (sign * X(i, j, o) - p(j))) / total for sign in (-1, 1))
    each = calc(
        far**2 - near**2,
        ("==", (-N - p(j) * total) ** 2 / total**2 - (N - p(j) * total) ** 2 / total**2),
        ("==", 4 * (p(j) * N) / total, N, total, p(j)),
    )
    sums = integrate("coordinates", (j,), each, (d,))
    return calc(
        loss(-1, -1) - loss(1),
        ("==", kappa_2 * sums.lhs),
        ("==", kappa_2 * sums.rhs, sums),
        ("==", 4 * kappa_2 * overlap),
    )


@proves("COL:H.5.noise/positive", statements, part=1)
@cache
def opposite_scale_is_worse() -> Theorem:
    """E loss(c) < E loss(-c), which is that of the scale c for the tokens -u_i."""
    not_0, law, some = show(0, "<", kappa_2, several_tokens()[1]), reflected_tokens()[1], positive_overlap()
    at, there, value = mean(loss(1)), mean(loss(-1, -1)), 4 * kappa_2 * mean(overlap)
    gap = chain(there - at, integrate("mean", (o,), difference()), value)
    more = show(0, "<", value, not_0, some, kappa_2, mean(overlap))
    gap = calc(law.lhs - at, ("==", there - at, law, *sides(law), at), ("==", value, gap))
    more = show(0, "<", law.lhs - at, gap, more, law.lhs - at, value)
    return show(at, "<", law.lhs, more, at, law.lhs)


@proves("COL:H.5.noise/positive", statements, part=2)
@cache
def loss_falls_at_0() -> Theorem:
    """The slope of the loss at 0 is that of the signal, for which 0 is no minimiser."""
    value, scale = slope_of_the_loss(), c_a**2 * c_u**4
    less = show(squares_are_less().lhs / A**2 - 1, "<", 0, squares_are_less(), squares_are_less().lhs, A)
    product = show(scale * less.lhs, "<", 0, less, several_tokens()[1], scale, less.lhs)
    return calc(value, ("==", 2 / d * product.lhs), ("<", 0, product, product.lhs))
