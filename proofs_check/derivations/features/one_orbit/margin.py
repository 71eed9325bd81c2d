"""R12: no matrix of norm 1 has a larger margin over one orbit than the identity over its norm.

The mean of the margins at the images of the nearest pair, over the group, is that of a multiple of
the identity, by Schur's lemma.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, root, sqrt, symm
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    each_class,
    entries,
    i,
    j,
    k,
    l,
    m,
    n,
    r,
    same,
    symmetric,
    v,
)
from proofs_check.derivations.features.one_orbit.distances import (
    Delta,
    G,
    apart,
    at_least,
    away,
    d,
)
from proofs_check.derivations.features.one_orbit.group import (
    PERMUTING,
    B,
    N,
    a,
    b,
    columns,
    gram,
    group,
    h,
    identity,
    of_l,
    perm,
    rows,
    schur,
    single,
    unit,
)
from proofs_check.derivations.features.one_orbit.group import zero_or_one as carried_or_not
from proofs_check.derivations.features.one_orbit.invariant import image, s
from proofs_check.derivations.features.one_orbit.loss import CLASSES, alike, orbit, same_norm
from proofs_check.derivations.features.one_orbit.pair import (
    PAIR,
    P,
    best,
    carried_into_one,
    different_images,
    e,
    equal_classes,
    gamma,
    identity_norm,
    is_a_class,
    margin,
    norm,
    of_s,
)
from proofs_check.derivations.features.one_orbit.upper import late_attention, late_statement
from proofs_check.derivations.features.steps import scaled, times
from proofs_check.derivations.proof import proves

#: The margin at the images l and s, and what Q* makes of two features.
form = lambda one, other: entries(v(one, i) * best(i, j) * v(other, j))
there = form(l, l) - form(s, l)


@cache
def at_the_images() -> Theorem:
    """gamma is at most the margin at the images of the pair, which are two classes."""
    G_, D = same(l, l) * same(s, s), same(s, l)
    bound = instantiate(margin, {k: l, n: s})
    turned = scaled(e * P, instantiate(symmetric, {m: s, k: l}))
    none = calc(turned, ("==", different_images().lhs), ("==", 0, different_images()))
    some = calc(0, ("<=", (e * P) ** 2), ("==", e * P, square_of_the_gate()))
    each = calc(
        e * P * G_ * gamma,
        ("==", e * P * (gamma * (G_ - D)) + gamma * none.lhs),
        ("==", e * P * (gamma * (G_ - D)) + gamma * none.rhs, scaled(gamma, none)),
        ("<=", e * P * bound.rhs, times(e * P, bound, some)),
        ("==", e * P * G_ * there - there * none.lhs),
        ("==", e * P * G_ * there - there * none.rhs, scaled(-there, none)),
        ("==", e * P * G_ * there),
    )
    total = integrate("coordinates", (l,), integrate("coordinates", (s,), each, (K,)), (K,))
    return total


@cache
def square_of_the_gate() -> Theorem:
    """e pi_hkl pi_hns is its own square."""
    first, second = carried_or_not, instantiate(carried_or_not, {k: n, l: s})
    own = PAIR[0]
    p, p_ = perm(h, k, l), perm(h, n, s)
    return calc(
        (e * P) ** 2,
        ("==", p**2 * p_**2 * own.lhs),
        ("==", p**2 * p_**2 * e, scaled(p**2 * p_**2, own)),
        ("==", p_**2 * e * first.lhs),
        ("==", p_**2 * e * p, scaled(p_**2 * e, first)),
        ("==", e * p * second.lhs),
        ("==", e * p * p_, scaled(e * p, second)),
        ("==", e * P),
    )


def over_classes(x: Term) -> Theorem:
    """The sum over l and s of x where both are classes is the sum of x."""
    outer = of_l(same(l, l) * of_s(same(s, s) * x))
    inner = instantiate(each_class, {c: ((s,), x)})
    known = instantiate(each_class, {c: ((l,), of_s(x))})
    each = integrate("coordinates", (l,), scaled(same(l, l), inner), (K,))
    return calc(
        of_l(of_s(same(l, l) * same(s, s) * x)),
        ("==", outer),
        ("==", each.lhs),
        ("==", each.rhs, each),
        ("==", known.lhs),
        ("==", known.rhs, known),
    )


moved, carried_k = image(k, i), image(k, j)
carried_n = image(n, i)
#: The margin at what h makes of the pair.
turned_margin = entries((moved.lhs - carried_n.lhs) * best(i, j) * carried_k.lhs)


@cache
def in_images() -> Theorem:
    """It is that of the images."""
    sides = moved, carried_n, carried_k
    product = show(
        (moved.lhs - carried_n.lhs) * carried_k.lhs,
        "==",
        (moved.rhs - carried_n.rhs) * carried_k.rhs,
        *sides,
        *(x for side in sides for x in (side.lhs, side.rhs)),
    )
    spread_out = integrate("coordinates", (i, j), scaled(best(i, j), product), (r, r))
    one = instantiate(single, {c: ((n,), v(n, j))})
    own = integrate("coordinates", (i, j), scaled(best(i, j) * v(l, i), one), (r, r))
    both = integrate("coordinates", (l,), own, (K,))
    cross = of_l(of_s(P * form(s, l)))
    kept = scaled(of_l(perm(h, k, l) * form(l, l)), symm(carried_into_one(n)))
    return calc(
        e * turned_margin,
        ("==", e * spread_out.lhs),
        ("==", e * spread_out.rhs, scaled(e, spread_out)),
        ("==", e * (both.lhs - cross)),
        ("==", e * (both.rhs - cross), both, both.lhs, cross),
        ("==", kept.lhs - e * cross),
        ("==", kept.rhs - e * cross, kept),
        ("==", of_l(of_s(e * P * there))),
    )


@cache
def after_every_element() -> Theorem:
    """gamma is at most it, for every element of the group."""
    found, left, right = at_the_images(), over_classes(e * P * gamma), over_classes(e * P * there)
    first, second = carried_into_one(k), carried_into_one(n)
    return calc(
        e * gamma,
        ("==", gamma * first.lhs, scaled(gamma, symm(first))),
        ("==", gamma * of_l(perm(h, k, l)) * e),
        ("==", gamma * of_l(perm(h, k, l)) * second.lhs, scaled(gamma * of_l(perm(h, k, l)), symm(second))),
        ("==", left.rhs),
        ("==", left.lhs, symm(left)),
        ("==", found.lhs),
        ("<=", found.rhs, found),
        ("==", right.lhs),
        ("==", right.rhs, right),
        ("==", in_images().rhs),
        ("==", e * turned_margin, symm(in_images())),
    )


@cache
def at_the_pair() -> Theorem:
    """(v_k - v_n).v_k = Delta^2/2, as the two norms are the same."""
    norms = instantiate(alike(same_norm(), lambda of: gram(of, of)), {l: n})
    own, other, apart = is_a_class(k), is_a_class(n), PAIR[2]
    both = calc(
        e * G,
        ("==", same(n, n) * own.lhs),
        ("==", same(n, n) * own.rhs, scaled(same(n, n), own)),
        ("==", other.lhs),
        ("==", e, other),
    )
    same_norms = calc(
        e * gram(n, n),
        ("==", gram(n, n) * both.lhs, scaled(gram(n, n), symm(both))),
        ("==", e * norms.lhs),
        ("==", e * norms.rhs, scaled(e, norms)),
        ("==", gram(k, k) * both.lhs),
        ("==", gram(k, k) * e, scaled(gram(k, k), both)),
    )
    return calc(
        e * away,
        ("==", (apart.lhs - same_norms.lhs + same_norms.rhs) / 2),
        ("==", apart.lhs / 2, same_norms, apart.lhs, same_norms.lhs, same_norms.rhs),
        ("==", apart.rhs / 2, scaled(term(Fraction(1, 2)), apart)),
    )


@cache
def mean_over_the_group() -> Theorem:
    """The mean over the group is that of a multiple of the identity."""
    pair = (v(k, a) - v(n, a)) * v(k, b)
    mean = instantiate(schur, {B: ((a, b), pair)})
    outer = integrate("coordinates", (i, j), scaled(best(i, j), mean), (r, r))
    return calc(
        group(turned_margin) / N,
        ("==", outer.lhs),
        ("==", outer.rhs, outer),
        ("==", away / r * entries(best(i, j) * unit(i, j))),
    )


#: The trace of Q*.
along = entries(best(i, j) * unit(i, j))


@cache
def trace_is_small() -> Theorem:
    """tr Q* <= sqrt r."""
    schwarz = cauchy_schwarz("coordinates", (i, j), best(i, j), unit(i, j), (r, r))
    square = calc(
        schwarz,
        ("==", entries(best(i, j) ** 2) * r, identity_norm),
        ("<=", 1 * r, norm),
        ("==", sqrt(r) ** 2),
    )
    return root(square, along, sqrt(r))


@cache
def no_larger() -> Theorem:
    """gamma <= Delta^2/(2 sqrt r)."""
    each = integrate("coordinates", (h,), after_every_element(), (N,))
    pair, mean, one = at_the_pair(), mean_over_the_group(), PAIR[3]
    line = calc(
        e * gamma,
        ("==", each.lhs / N),
        ("<=", each.rhs / N, times(1 / N, each)),
        ("==", e * mean.lhs),
        ("==", e * mean.rhs, scaled(e, mean)),
        ("==", along / r * pair.lhs),
        ("==", along / r * pair.rhs, scaled(along / r, pair)),
    )
    total = integrate("coordinates", (k,), integrate("coordinates", (n,), line, (K,)), (K,))
    share = Delta**2 / (2 * r)
    return calc(
        gamma,
        ("==", gamma * one.lhs, scaled(gamma, symm(one))),
        ("==", total.lhs),
        ("<=", total.rhs, total),
        ("==", share * along * one.lhs),
        ("==", share * along, scaled(share * along, one)),
        ("<=", share * sqrt(r), times(share, trace_is_small())),
        ("==", Delta**2 / (2 * sqrt(r))),
    )


of_the_identity = unit(i, j) / sqrt(r)


@cache
def norm_of_the_identity() -> Theorem:
    return calc(
        entries(of_the_identity**2),
        ("==", 1 / r * identity_norm.lhs),
        ("==", 1 / r * r, scaled(1 / r, identity_norm)),
        ("==", 1),
    )


@cache
def margin_of_the_identity() -> Theorem:
    """The identity over sqrt r has the margin Delta^2/(2 sqrt r)."""
    known = instantiate(identity, {B: ((a, b), (v(k, a) - v(n, a)) * v(k, b))})
    own = instantiate(equal_classes(), {l: n, s: k, c: ((n,), gram(n, k))})
    unit_, same_ = 1 / sqrt(r), show(own.rhs - own.lhs, "==", 0, own, own.lhs, own.rhs)
    return calc(
        Delta**2 / (2 * sqrt(r)) * (G - d),
        ("==", unit_ * (Delta**2 / 2 * (G - d))),
        ("<=", unit_ * (G * away), times(unit_, at_least())),
        ("==", unit_ * ((G - d) * away) + unit_ * same_.lhs),
        ("==", unit_ * ((G - d) * away) + unit_ * 0, scaled(unit_, same_)),
        ("==", (G - d) * unit_ * known.rhs),
        ("==", (G - d) * unit_ * known.lhs, scaled((G - d) * unit_, symm(known))),
        ("==", (G - d) * entries((v(k, i) - v(n, i)) * of_the_identity * v(k, j))),
    )


def statements(half: Fraction = Fraction(1, 2), one: int = 1, four: int = 4) -> tuple[Statement, ...]:
    """R12.margin: no matrix of norm 1 has a larger margin than `half` Delta^2/sqrt r, for two
    features at the distance Delta; the identity over sqrt r has the norm `one`, and this margin, if
    this is the least distance; and the attention of the flow tends to 1.
    """
    carried = tuple(thm for thm in PERMUTING if thm is not columns)
    stated = half * Delta**2 / sqrt(r)
    largest = hypotheses(*CLASSES, *carried, orbit, identity, identity_norm, schur, margin, norm, *PAIR)
    reached_ = hypotheses(*CLASSES[:-1], *(thm for thm in carried if thm is not rows), orbit, identity, apart)
    return (
        Statement(gamma, "<=", stated, largest),
        Statement(entries(of_the_identity**2), "==", term(one), hypotheses(identity_norm)),
        Statement(
            stated * (G - d),
            "<=",
            (G - d) * entries((v(k, i) - v(n, i)) * of_the_identity * v(k, j)),
            reached_,
        ),
        late_statement(four),
    )


proves("OURS:R12.margin", statements, part=1)(no_larger)
proves("OURS:R12.margin", statements, part=2)(norm_of_the_identity)
proves("OURS:R12.margin", statements, part=3)(margin_of_the_identity)
proves("OURS:R12.margin", statements, part=4)(late_attention)
