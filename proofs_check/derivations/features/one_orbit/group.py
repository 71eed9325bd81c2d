"""R12: what a finite group of orthogonal matrices, which permutes the features, says of the softmax
weights of their inner products, and of minus the gradient at a number times the identity.

The group is o(h) for h = 1, .., N, and pi(h, k, l) is 1 where o(h) carries the feature k into the
feature l, and else 0.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    attention,
    c,
    coordinates,
    i,
    j,
    k,
    l,
    m,
    n,
    of_k,
    of_m,
    of_n,
    r,
    score,
    spread,
    v,
)
from proofs_check.derivations.features.one_orbit.gradient import plain
from proofs_check.derivations.features.steps import scaled

h, a, b = (Variable(name, Sort.INDEX) for name in "hab")
N, y = Variable("N", range=whole(1)), Variable("y", range=REALS)
turn, perm = (Function(name, (Sort.INDEX, Sort.INDEX, Sort.INDEX)) for name in ("o", "pi"))
unit, B = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("unit", "B"))
group = lambda e: bind("coordinates", (h,), e, (N,))
of_l = lambda e: bind("coordinates", (l,), e, (K,))
entries = lambda e: bind("coordinates", (a, b), e, (r, r))


def trace(e: Term) -> Term:
    """The trace of a matrix with the entries e at i and j."""
    return bind("coordinates", (a,), instantiated(e, {i: a, j: a}), (r,))


identity = assume(
    "unit is the identity matrix", entries(unit(a, b) * B(a, b)), "==", trace(B(i, j)), every=(B,)
)
orthogonal = assume(
    "orthogonal matrices", coordinates(turn(h, i, a) * turn(h, i, b)), "==", unit(a, b), every=(h, a, b)
)
carried = assume(
    "the group permutes the features",
    bind("coordinates", (a,), turn(h, i, a) * v(k, a), (r,)),
    "==",
    of_l(perm(h, k, l) * v(l, i)),
    every=(h, k, i),
)
zero_or_one = assume("pi is 0 or 1", perm(h, k, l) ** 2, "==", perm(h, k, l), every=(h, k, l))
single = assume(
    "a feature is carried into one",
    perm(h, k, l) * of_n(perm(h, k, n) * c(n)),
    "==",
    perm(h, k, l) * c(l),
    every=(h, k, l, c),
)
rows = assume(
    "each feature is carried into one", of_k(of_l(perm(h, k, l)) * c(k)), "==", of_k(c(k)), every=(h, c)
)
columns = assume(
    "into each feature one is carried", of_l(of_k(perm(h, k, l)) * c(l)), "==", of_l(c(l)), every=(h, c)
)
schur = assume(
    "Schur: the mean of gBg' over a finite group that acts absolutely irreducibly",
    group(entries(turn(h, i, a) * B(a, b) * turn(h, j, b))) / N,
    "==",
    trace(B(i, j)) / r * unit(i, j),
    every=(B, i, j),
    cited=True,
)
PERMUTING = (orthogonal, carried, zero_or_one, single, rows, columns)
line = y * unit(i, j)


def gram(one: Variable, other: Variable) -> Term:
    return coordinates(v(one, i) * v(other, i))


def odds(one: Variable, other: Variable, times_: int = 1) -> Term:
    return exp(times_ * y * gram(one, other))


def weight(one: Variable, other: Variable) -> Term:
    """The attention of the query `other` on the class `one` at y times the identity."""
    return odds(one, other) / of_n(odds(n, other))


def length(other: Variable) -> Term:
    return of_n(weight(n, other) ** 2)


def off(one: Variable, other: Variable) -> Term:
    """-H in units of sigma_f^2/K."""
    return weight(one, other) * (weight(other, other) + weight(one, other) - length(other))


@cache
def at_the_identity() -> Theorem:
    """The attention at y times the identity."""
    product = instantiate(identity, {B: ((a, b), v(m, a) * v(k, b))})
    scores = calc(score(line), ("==", y * product.lhs), ("==", y * gram(m, k), scaled(y, product)))
    each = show(exp(scores.lhs), "==", exp(scores.rhs), scores, scores.lhs, scores.rhs)
    total = integrate("coordinates", (m,), each, (K,))
    inverse = show(1 / total.lhs, "==", 1 / total.rhs, total, total.lhs, total.rhs)
    return calc(
        attention(line),
        ("==", 1 / total.lhs * each.lhs),
        ("==", 1 / total.lhs * each.rhs, scaled(1 / total.lhs, each)),
        ("==", each.rhs * (1 / total.lhs)),
        ("==", each.rhs * (1 / total.rhs), scaled(each.rhs, inverse)),
        ("==", weight(m, k)),
    )


#: Minus the gradient at y times the identity.
diagonal = of_k(weight(k, k) * v(k, i) * v(k, j))
across = of_k(of_m(off(m, k) * v(m, i) * v(k, j)))
upward = spread / K * (diagonal - across)


@cache
def in_weights(of_other: Theorem, X: Term) -> Theorem:
    """Minus the gradient at a matrix with the entries X, of which a theorem says what the
    attentions are.
    """
    of_own, of_each = (instantiate(of_other, {m: to}) for to in (k, n))
    square = show(of_each.lhs**2, "==", of_each.rhs**2, of_each, of_each.lhs, of_each.rhs)
    total = integrate("coordinates", (n,), square, (K,))
    facts = of_other, of_own, total
    value = lambda B, A, Q: B * (A + B - Q)
    left, right = [fact.lhs for fact in facts], [fact.rhs for fact in facts]
    each = show(value(*left), "==", value(*right), *facts, *left, *right)
    outer = scaled(v(m, i) * v(k, j), each)
    across_ = integrate("coordinates", (k,), integrate("coordinates", (m,), outer, (K,)), (K,))
    inner = integrate("coordinates", (k,), scaled(v(k, i) * v(k, j), of_own), (K,))
    return calc(
        plain(X),
        ("==", spread / K * (inner.lhs - across_.lhs)),
        ("==", spread / K * (inner.rhs - across_.rhs), inner, across_, inner.lhs, across_.lhs),
    )
