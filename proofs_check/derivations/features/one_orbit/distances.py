"""R12: the distances of the other features from that of a query, over one orbit.

`G` is 1 where the query k and n are classes, and `G - delta_nk` where they are two different ones;
h_n = v_k.v_k - v_n.v_k is half the squared distance of the two, as all norms are the same.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    c,
    coordinates,
    each_class,
    here,
    i,
    k,
    l,
    m,
    n,
    of_n,
    picks,
    projections,
    same,
    symmetric,
    v,
)
from proofs_check.derivations.features.one_orbit.group import gram
from proofs_check.derivations.features.one_orbit.loss import alike, same_norm
from proofs_check.derivations.features.steps import scaled, times

Delta = Variable("Delta", range=POSITIVE)
least, G, d = Delta**2 / 2, here * same(n, n), same(n, k)
#: h_n
away = gram(k, k) - gram(n, k)
squared_distance = coordinates((v(n, i) - v(k, i)) ** 2)
apart = assume("the least distance", Delta**2 * (G - d), "<=", G * squared_distance, every=(n, k))


@cache
def squares() -> tuple[Theorem, Theorem]:
    """G and G - delta_nk are their own squares."""
    both, product, own = (instantiate(thm, {m: n}) for thm in projections())
    other = calc(
        (G - d) ** 2,
        ("==", both.lhs - 2 * product.lhs + own.lhs),
        ("==", both.rhs - 2 * product.rhs + own.rhs, both, product, own, both.lhs, product.lhs, own.lhs),
        ("==", G - d),
    )
    return calc(G**2, ("==", both.lhs), ("==", G, both)), other


@cache
def not_negative() -> tuple[Theorem, Theorem]:
    """0 <= G and 0 <= G - delta_nk."""
    first, second = (calc(0, ("<=", thm.lhs), ("==", thm.rhs, thm)) for thm in squares())
    return first, second


@cache
def at_least() -> Theorem:
    """Delta^2/2 <= h_n for two different classes."""
    norms = instantiate(alike(same_norm(), lambda of: gram(of, of)), {l: n})
    line = calc(
        Delta**2 * (G - d),
        ("<=", G * squared_distance, apart),
        ("==", norms.lhs - 2 * (G * gram(n, k)) + G * gram(k, k)),
        ("==", norms.rhs - 2 * (G * gram(n, k)) + G * gram(k, k), norms),
        ("==", 2 * (G * away)),
    )
    return show(least * (G - d), "<=", G * away, line, G * away, G - d)


def gated(e: Term) -> Theorem:
    """The sum over n of e where n and the query are classes."""
    known = instantiate(each_class, {c: ((n,), e)})
    return calc(
        of_n(G * e),
        ("==", here * known.lhs),
        ("==", here * known.rhs, scaled(here, known)),
        ("==", here * of_n(e)),
    )


def of_the_query(e: Term) -> Theorem:
    """The sum over n of delta_nk e is e at the query."""
    known = instantiate(picks, {m: k, c: ((n,), e)})
    return calc(
        of_n(d * e),
        ("==", of_n(same(k, n) * e), instantiate(symmetric, {m: n})),
        ("==", known.lhs),
        ("==", known.rhs, known),
        ("==", here * instantiated(e, {n: k})),
    )


def of_others(e: Term) -> Theorem:
    """The sum of e over the classes other than the query's."""
    known, own = gated(e), of_the_query(e)
    return calc(
        of_n((G - d) * e),
        ("==", known.lhs - own.lhs),
        ("==", known.rhs - own.rhs, known, own, known.lhs, own.lhs),
    )


def spread_out(e: Term) -> Theorem:
    """Delta^2/2 times the sum of e >= 0 over the others is at most the sum of e h_n."""
    known, others = gated(e * away), of_others(e)
    return calc(
        least * others.rhs,
        ("==", least * others.lhs, scaled(least, symm(others))),
        ("==", of_n(e * (least * (G - d)))),
        ("<=", of_n(e * (G * away)), times(e, at_least())),
        ("==", known.lhs),
        ("==", known.rhs, known),
    )
