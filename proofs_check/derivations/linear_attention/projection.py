"""Appendix F.3 of Boursier & Boyer: the matrices sigma A + S M S for which S X S is a multiple of
S, and the orthogonal projection on the X with S X S = 0, in every dimension.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.matrices import (
    PENROSE,
    RANGE,
    G,
    H,
    Law,
    Matrix,
    S,
    a,
    b,
    dot,
    entry,
    i,
    j,
    law,
    matrix,
    over,
    range_from_the_right,
)
from proofs_check.derivations.proof import proves

alpha, sigma = (Variable(name, range=POSITIVE) for name in ("alpha", "sigma"))
A, M, X, Y, delta = map(matrix, (*"AMXY", "delta"))
_first, _second, _keeps, _inverse = PENROSE
zero: Matrix = lambda x, y: term(0)


def P(X: Matrix, times: int = 1) -> Term:
    """The entry of X - H X H, whose second term `times` multiplies."""
    return X(i, j) - times * entry((H, X, H))


in_the_set = law("X = sigma A + S M S", (X,), (lambda x, y: sigma * A(x, y) + entry((S, M, S), x, y),))
member = law(
    "X = alpha S^+ + sigma P(A)",
    (X,),
    (lambda x, y: alpha * G(x, y) + sigma * (A(x, y) - entry((H, A, H), x, y)),),
)
on_the_ray = law("S X S = alpha S", (S, X, S), (lambda x, y: alpha * S(x, y),))
unseen, unseen_too = law("S X S = 0", (S, X, S), (zero,)), law("S Y S = 0", (S, Y, S), (zero,))
symmetric = assume("S S^+ is symmetric", H(i, j), "==", H(j, i), every=(i, j))
SET, RAY, MEMBER, UNSEEN, UNSEEN_TOO = (
    one.shown.assumptions | RANGE for one in (in_the_set, on_the_ray, member, unseen, unseen_too)
)


def statements(times: int = 1, one: int = 1) -> tuple[Statement, ...]:
    """A matrix of the set on the ray is alpha S^+ + sigma P(A), and conversely; P(X) is in the
    space of the X with S X S = 0, is X for these, and X - P(X) is orthogonal to them. Here `times`
    multiplies what P takes off, and `one` an inner product.
    """
    found = alpha * G(i, j) + sigma * P(A, times)
    factor = lambda x, y: alpha * entry((G, G, G), x, y) - times * sigma * entry((G, A, G), x, y)
    taken = lambda x, y: X(x, y) - times * entry((H, X, H), x, y)
    return (
        Statement(X(i, j), "==", found, SET | RAY),
        Statement(entry((S, X, S)), "==", times * alpha * S(i, j), MEMBER),
        Statement(X(i, j), "==", sigma * A(i, j) + entry((S, factor, S)), MEMBER),
        Statement(entry((S, taken, S)), "==", term(0), RANGE),
        Statement(P(X, times), "==", times * X(i, j), UNSEEN),
        Statement(dot(P(X), Y(i, j)), "==", one * dot(X(i, j), Y(i, j)), UNSEEN_TOO | symmetric.assumptions),
    )


def risk_statement(one: int = 1) -> Statement:
    """tr((S u X S - S)(S u X - I)') = 0 at X = alpha S^+ + sigma P(A) and u = 1/alpha, which is
    twice the risk; `one` multiplies S u X S.
    """
    bracket = entry((S, X)) / alpha - delta(i, j)
    return Statement(dot(one * entry((S, X, S)) / alpha - S(i, j), bracket), "==", term(0), MEMBER)


def risk() -> Theorem:
    """Its first factor vanishes."""
    ray, bracket = member_on_the_ray(), entry((S, X)) / alpha - delta(i, j)
    each = show((ray.lhs / alpha - S(i, j)) * bracket, "==", 0, ray, bracket, ray.lhs)
    return show(risk_statement().lhs, "==", 0, each)


def _projected(X: Matrix, seen: Law) -> Law:
    """H X H = S^+ (S X S) S^+, and S X S is given."""
    out = _second.within(right=(X, H)).then(_first.within(left=(G, S, X)))
    return out.then(seen.within(left=(G,), right=(G,)))


def _both_sides(X: Matrix) -> Theorem:
    """S H X H S = S X S."""
    return range_from_the_right().within(right=(X, H, S)).then(_keeps.within(left=(S, X))).shown


@proves("BB:F.3.4b", statements, part=1)
def on_the_set_and_the_ray() -> Theorem:
    """X = sigma A + S M S and H X H = alpha S^+, so that S M S = alpha S^+ - sigma H A H."""
    G_S_G = _first.back().within(left=(G,)).then(_inverse).shown
    ray = calc(_projected(X, on_the_ray).shown, ("==", alpha * G_S_G.lhs), ("==", alpha * G(i, j), G_S_G))
    middle = _keeps.within(right=(M, S, H)).then(range_from_the_right().within(left=(S, M))).shown
    seen = calc(
        in_the_set.within(left=(H,), right=(H,)).shown,
        ("==", sigma * entry((H, A, H)) + middle.lhs),
        ("==", sigma * entry((H, A, H)) + middle.rhs, middle),
    )
    return calc(
        X(i, j),
        ("==", sigma * A(i, j) + entry((S, M, S)), in_the_set.shown),
        ("==", sigma * P(A) + seen.lhs, seen),
        ("==", sigma * P(A) + alpha * G(i, j), ray),
    )


@proves("BB:F.3.4b", statements, part=2)
def member_on_the_ray() -> Theorem:
    """S (alpha S^+ + sigma P(A)) S = alpha S."""
    S_G_S = _first.back().within(right=(S,)).then(_keeps).shown
    return calc(
        member.within(left=(S,), right=(S,)).shown,
        ("==", alpha * entry((S, G, S)) + sigma * entry((S, A, S)) - sigma * entry((S, H, A, H, S))),
        ("==", alpha * S(i, j), S_G_S, _both_sides(A)),
    )


@proves("BB:F.3.4b", statements, part=3)
def member_in_the_set() -> Theorem:
    """alpha S^+ - sigma H A H = S N S with N = alpha S^+ S^+ S^+ - sigma S^+ A S^+."""
    first, last = _first.back(), _second.back()
    word = first.within(right=(G, G, S)).then(last.within(left=(H, G)))
    word = word.then(_second.within(right=(G, H))).then(_first.back().within(left=(G,), right=(H,)))
    inverse = word.then(_inverse.within(right=(H,))).then(_inverse).shown
    other = first.within(right=(A, G, S)).then(last.within(left=(H, A))).shown
    return calc(
        X(i, j),
        ("==", alpha * G(i, j) + sigma * P(A), member.shown),
        ("==", sigma * A(i, j) + (alpha * inverse.lhs - sigma * other.lhs), inverse, other),
    )


@proves("BB:F.3.4b", statements, part=(4, 5, 6))
@cache
def projection() -> tuple[Theorem, Theorem, Theorem]:
    """S P(X) S = 0; P(X) = X where S X S = 0; X - P(X) is orthogonal to each Y with S Y S = 0."""
    taken = lambda x, y: X(x, y) - entry((H, X, H), x, y)
    inside = calc(
        entry((S, taken, S)), ("==", entry((S, X, S)) - _both_sides(X).lhs), ("==", 0, _both_sides(X))
    )
    same = show(P(X), "==", X(i, j), calc(_projected(X, unseen).shown, ("==", 0)))
    none = calc(_projected(Y, unseen_too).shown, ("==", 0))
    product = show(X(i, j) * none.lhs, "==", 0, none)
    swapped = calc(
        H(i, a) * X(a, b) * H(b, j) * Y(i, j),
        ("==", H(a, i) * X(a, b) * H(b, j) * Y(i, j), instantiate(symmetric, {j: a})),
        ("==", X(a, b) * (H(a, i) * Y(i, j) * H(j, b)), instantiate(symmetric, {i: b})),
    )
    whole = dot(X(i, j), Y(i, j))
    orthogonal = calc(
        dot(P(X), Y(i, j)),
        ("==", whole - over((i, j, a, b), swapped.lhs)),
        ("==", whole - dot(X(i, j), none.lhs), swapped),
        ("==", whole, product),
    )
    return inside, same, orthogonal
