"""R12: two features at the least distance, which every element of an orbit's group carries into two
features at this distance.

The pair is (k, n), and the element h carries it into l and s.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    entries,
    here,
    i,
    j,
    k,
    l,
    m,
    n,
    of_classes,
    of_k,
    of_n,
    of_the_query,
    picks,
    r,
    same,
    symmetric,
    v,
    zero_or_one,
)
from proofs_check.derivations.features.one_orbit.distances import (
    Delta,
    G,
    d,
    squared_distance,
)
from proofs_check.derivations.features.one_orbit.group import (
    gram,
    h,
    of_l,
    perm,
    rows,
    unit,
)
from proofs_check.derivations.features.one_orbit.invariant import q, s, same_product
from proofs_check.derivations.features.one_orbit.loss import same_norm
from proofs_check.derivations.features.steps import scaled

gamma = Variable("gamma", range=REALS)
best, nearest = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("Qstar", "near"))
of_s = lambda e: bind("coordinates", (s,), e, (K,))
e = nearest(k, n)
P = perm(h, k, l) * perm(h, n, s)

margin = assume(
    "gamma is at most the margin of Q*",
    gamma * (G - d),
    "<=",
    (G - d) * entries((v(k, i) - v(n, i)) * best(i, j) * v(k, j)),
    every=(k, n),
)
norm = assume("|Q*| <= 1", entries(best(i, j) ** 2), "<=", 1)
identity_norm = assume("the identity has the norm sqrt r", entries(unit(i, j) ** 2), "==", r)
PAIR = (
    assume("near is 0 or 1", e**2, "==", e, every=(k, n)),
    assume("near tells two classes", e * (G - d), "==", e, every=(k, n)),
    assume(
        "near tells two classes at the least distance", e * squared_distance, "==", Delta**2 * e, every=(k, n)
    ),
    assume("near tells one pair", of_k(of_n(e)), "==", 1),
)


@cache
def equal_classes() -> Theorem:
    """delta_ls g_l = delta_ls g_s for any g, which is c here."""
    D = same(l, s)
    first = instantiate(picks, {m: l, c: ((n,), same(s, n) * c(n))})
    second = instantiate(picks, {m: s, c: ((n,), same(l, n) * c(n))})
    turned = instantiate(symmetric, {m: s, k: l})
    own, other = instantiate(of_classes, {m: l, k: s}), instantiate(of_classes, {m: s, k: l})
    return calc(
        D * c(l),
        ("==", c(l) * own.lhs, scaled(c(l), symm(own))),
        ("==", same(l, l) * c(l) * D),
        ("==", same(l, l) * c(l) * same(s, l), scaled(same(l, l) * c(l), symm(turned))),
        ("==", first.rhs),
        ("==", first.lhs, symm(first)),
        ("==", second.lhs),
        ("==", second.rhs, second),
        ("==", same(s, s) * c(s) * D),
        ("==", same(s, s) * c(s) * same(s, l), scaled(same(s, s) * c(s), symm(turned))),
        ("==", c(s) * other.lhs),
        ("==", c(s) * other.rhs, scaled(c(s), other)),
        ("==", c(s) * D, scaled(c(s), turned)),
    )


@cache
def kept_distance() -> Theorem:
    """The group keeps distances."""
    product = instantiate(same_product(), {m: k, q: n})
    first, second = instantiate(same_norm(), {q: k, s: l}), instantiate(same_norm(), {q: n})
    first, second = scaled(perm(h, n, s), first), scaled(perm(h, k, l), second)
    return calc(
        P * squared_distance,
        ("==", first.lhs - 2 * product.lhs + second.lhs),
        ("==", first.rhs - 2 * product.lhs + second.lhs, first),
        ("==", first.rhs - 2 * product.rhs + second.lhs, scaled(term(-2), product)),
        ("==", first.rhs - 2 * product.rhs + second.rhs, second),
        ("==", P * (gram(l, l) - 2 * gram(l, s) + gram(s, s))),
    )


@cache
def different_images() -> Theorem:
    """Two different classes are carried into two different ones."""
    D, apart = same(l, s), PAIR[2]
    with_l, with_s = (instantiate(equal_classes(), {c: ((n,), gram(n, to))}) for to in (l, s))
    none = calc(
        D * (gram(l, l) - 2 * gram(l, s) + gram(s, s)),
        ("==", with_l.lhs - D * gram(s, l) - (with_s.lhs - D * gram(s, s))),
        ("==", with_l.rhs - D * gram(s, l) - (with_s.lhs - D * gram(s, s)), with_l),
        ("==", with_l.rhs - D * gram(s, l) - (with_s.rhs - D * gram(s, s)), scaled(term(-1), with_s)),
        ("==", 0),
    )
    return calc(
        e * P * D,
        ("==", P * D / Delta**2 * apart.rhs),
        ("==", P * D / Delta**2 * apart.lhs, scaled(P * D / Delta**2, symm(apart))),
        ("==", e * D / Delta**2 * kept_distance().lhs),
        ("==", e * D / Delta**2 * kept_distance().rhs, scaled(e * D / Delta**2, kept_distance())),
        ("==", e * P / Delta**2 * none.lhs),
        ("==", e * P / Delta**2 * 0, scaled(e * P / Delta**2, none)),
        ("==", 0),
    )


def is_a_class(of: Variable) -> Theorem:
    """Each of the pair is a class."""
    told, one = PAIR[1], same(of, of)
    square = instantiate(zero_or_one, {m: of, k: of})
    inside = instantiate(of_classes, {m: n}) if of == n else instantiate(of_the_query(), {m: n})
    rest = here if of == n else same(n, n)
    within = calc(
        (G - d) * one,
        ("==", rest * square.lhs - inside.lhs),
        ("==", rest * square.rhs - inside.rhs, scaled(rest, square), inside, rest * square.lhs, inside.lhs),
        ("==", G - d),
    )
    return calc(
        e * one,
        ("==", one * told.lhs, scaled(one, symm(told))),
        ("==", e * within.lhs),
        ("==", e * within.rhs, scaled(e, within)),
        ("==", e, told),
    )


def carried_into_one(of: Variable) -> Theorem:
    """Each of the pair is carried into one class."""
    images = lambda at: instantiated(of_l(perm(h, k, l)), {k: at})
    known, alone = (instantiate(picks, {m: of, c: ((n,), at)}) for at in (images(n), term(1)))
    found, told = instantiate(rows, {c: ((m,), same(of, m))}), is_a_class(of)
    one = calc(
        same(of, of) * images(of),
        ("==", known.lhs, symm(known)),
        ("==", found.lhs),
        ("==", found.rhs, found),
        ("==", alone.lhs),
        ("==", alone.rhs, alone),
        ("==", same(of, of)),
    )
    return calc(
        e * images(of),
        ("==", images(of) * told.lhs, scaled(images(of), symm(told))),
        ("==", e * one.lhs),
        ("==", e * one.rhs, scaled(e, one)),
        ("==", e, told),
    )
