"""The proof of Lemma C.4 of Collins et al.: the part of the average of the tokens that is
orthogonal to the query. The reflection of one token at the line of the query keeps all weights and
turns its own orthogonal part, so that the products of two tokens have the mean 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, gcongr, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, mean, n, o, over, tokens, width
from proofs_check.derivations.window.signal import p

#: One over the sum of the weights, and with the token i reflected; the sum of the other weights,
#: and that of their orthogonal parts; and any function of the heights.
inverse, of_heights = (Function(name, (Sort.TOKEN,), None) for name in ("N", "G"))
turned_inverse, others = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("N'", "R"))
other_parts = Function("Y", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), None)
N, N_, G = inverse(o), turned_inverse(i, o), of_heights(o)
token = X(i, j, o)


def height(of: Term) -> Term:
    return over(of * p(j))


def weight(of: Term) -> Term:
    """What is proportional to e^{-w |x_i - x|^2} on the sphere."""
    return exp(2 * width * height(of))


def part(of: Term) -> Term:
    """The orthogonal part of a token, at the index j."""
    return of - height(of) * p(j)


t = height(token)
reflected = 2 * t * p(j) - token
W, W_ = weight(token), weight(reflected)
#: The average of the tokens, and the square of its part that is orthogonal to the query.
centre = N * tokens(W * token)
orthogonal = over((centre - over(p(j) * centre) * p(j)) ** 2)
squares = N**2 * tokens(W**2 * (1 - t**2))


@cache
def sphere() -> tuple[Theorem, Theorem]:
    return (
        assume("tokens on the sphere", over(token**2), "==", 1, every=(i, o)),
        assume("|x| = 1", over(p(j) ** 2), "==", 1),
    )


@cache
def sums() -> tuple[Theorem, ...]:
    """What stands for sums, and for sums over the other tokens."""
    return (
        assume("N is one over the sum of the weights", N * tokens(W), "==", 1, every=(o,)),
        assume("R_i is the sum of the other weights", tokens(W), "==", W + others(i, o), every=(i, o)),
        assume(
            "Y_i is the sum of the other orthogonal parts",
            tokens(W * part(token)),
            "==",
            W * part(token) + other_parts(i, j, o),
            every=(i, j, o),
        ),
        assume(
            "N' is that of the tokens with x_i reflected", N_ * (W_ + others(i, o)), "==", 1, every=(i, o)
        ),
    )


@cache
def law(factor: Term) -> Theorem:
    """The reflection of x_i keeps the law of the tokens."""
    of = lambda scale, weight, at: mean(factor * scale**2 * weight * over(part(at) * other_parts(i, j, o)))
    name = "the reflection of x_i at the line of the query keeps the law of the tokens"
    return assume(name, of(N, W, token), "==", of(N_, W_, reflected), every=(i,))


@cache
def same_weights() -> tuple[Theorem, Theorem, Theorem]:
    """The reflected token has the weight of the token, the same N, and minus its part."""
    unit = sphere()[1]
    level = calc(height(reflected), ("==", 2 * t * unit.lhs - t), ("==", t, unit))
    weights = show(W_, "==", W, level)
    total, all_, _, turned = sums()
    back = calc(
        N_,
        ("==", N_ * total.lhs, total),
        ("==", N * (N_ * (W + others(i, o))), all_),
        ("==", N * turned.lhs, weights),
        ("==", N, turned),
    )
    own = calc(
        part(reflected),
        ("==", 2 * t * p(j) - token - (2 * t * unit.lhs - t) * p(j)),
        ("==", -part(token), unit),
    )
    return weights, back, own


@cache
def no_products(factor: Term) -> Theorem:
    """E G gamma_i r_i.Y_i/S = 0 for the orthogonal parts r_i and Y_i, as it is minus itself."""
    weights, back, own = same_weights()
    given = law(factor)
    here, other = given.lhs, other_parts(i, j, o)
    inner = calc(
        over(part(reflected) * other),
        ("==", over(-part(token) * other), own),
        ("==", -over(part(token) * other)),
    )
    left = factor * N_**2 * W_ * inner.lhs
    point = calc(
        left,
        ("==", factor * N**2 * W_ * inner.lhs, back, factor, W_, inner.lhs),
        ("==", factor * N**2 * W * inner.rhs, weights, inner, W_, inner.lhs, factor, N),
    )
    turned = chain(given, integrate("mean", (o,), point), -here)
    both = [show(sign * here, "<=", 0, turned, here) for sign in (1, -1)]
    return show(here, "==", 0, *both)


@cache
def square_of_the_sum() -> Theorem:
    """|h - (x.h) x|^2 = N^2 sum W_i^2 (1 - t_i^2) + N^2 sum W_i r_i.Y_i."""
    one, unit = sphere()
    vector, other = tokens(W * part(token)), other_parts(i, j, o)
    length = calc(
        over(part(token) ** 2),
        ("==", one.lhs - 2 * t**2 + t**2 * unit.lhs),
        ("==", 1 - t**2, one, unit, one.lhs, unit.lhs, t),
    )
    products = show(part(token) * vector, "==", part(token) * (W * part(token) + other), sums()[2])
    inner = calc(
        over(products.lhs),
        ("==", over(products.rhs), products),
        ("==", W * length.lhs + over(part(token) * other)),
        ("==", W * length.rhs + over(part(token) * other), length, length.lhs, W),
    )
    whole = integrate(
        "coordinates", (i,), show(W * inner.lhs, "==", W * inner.rhs, inner, inner.lhs, inner.rhs), (n,)
    )
    crossed = tokens(W * over(part(token) * other))
    return calc(
        orthogonal,
        ("==", N**2 * over(vector**2)),
        ("==", N**2 * whole.lhs),
        ("==", N**2 * whole.rhs, whole, whole.lhs, N),
        ("==", squares + N**2 * crossed),
    )


def statement(power: int = 2) -> Statement:
    """E G |h - (x.h) x|^2 = E G sum gamma_i^power (1 - t_i^2) for functions G of the heights."""
    right = mean(G * (N**power * tokens(W**power * (1 - t**2))))
    return Statement(mean(G * orthogonal), "==", right, hypotheses(*sphere(), *sums(), law(G)))


@cache
def squares_only(factor: Term) -> Theorem:
    """E G |h - (x.h) x|^2 = E G sum gamma_i^2 (1 - t_i^2)."""
    split, none = square_of_the_sum(), no_products(factor)
    crossed = chain(integrate("coordinates", (i,), none, (n,)), 0)
    return calc(
        mean(factor * split.lhs),
        ("==", mean(factor * split.rhs), split),
        ("==", mean(factor * squares) + crossed.lhs),
        ("==", mean(factor * squares), crossed, crossed.lhs, mean(factor * squares)),
    )


proves("COL:C.4x/inference", statement)(lambda: squares_only(G))


def bound_statement(factor: int | Fraction = 2) -> Statement:
    """E |h - (x.h) x|^2 <= E g_2(2w)/g_0(w)^2, where g_2 is `factor` times half of it."""
    far = over((token - p(j)) ** 2)
    right = Fraction(factor) / 2 * mean(N**2 * tokens(far * W**2))
    return Statement(mean(orthogonal), "<=", right, hypotheses(*sphere(), *sums(), law(term(1))))


@proves("COL:C.4c", bound_statement)
@cache
def by_the_sums() -> Theorem:
    """1 - t^2 <= 2(1 - t) = |x_i - x|^2."""
    one, unit = sphere()
    far = over((token - p(j)) ** 2)
    same = calc(far, ("==", one.lhs - 2 * t + unit.lhs), ("==", 2 - 2 * t, one, unit))
    less = show(1 - t**2, "<=", far, same, far, t)
    each = gcongr(W**2 * less.lhs, less)
    return calc(squares_only(term(1)), ("<=", mean(N**2 * tokens(far * W**2)), each))
