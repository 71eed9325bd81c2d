"""R12: softmax weights of inner products do not change where a group of orthogonal matrices
permutes the features, so that minus the gradient at a number times the identity commutes with the
group, and is a number times the identity by Schur's lemma, which is cited.

A class m is carried into l, and a query q into s.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    i,
    j,
    k,
    l,
    m,
    n,
    of_m,
    of_n,
    r,
    spread,
    v,
)
from proofs_check.derivations.features.one_orbit.group import (
    B,
    N,
    a,
    b,
    carried,
    columns,
    entries,
    gram,
    h,
    identity,
    length,
    odds,
    off,
    orthogonal,
    perm,
    rows,
    schur,
    single,
    trace,
    turn,
    unit,
    upward,
    weight,
    y,
    zero_or_one,
)
from proofs_check.derivations.features.steps import gap, scaled, times

q, s = Variable("q", Sort.INDEX), Variable("s", Sort.INDEX)
one = Variable("u", range=REALS)
of_q = lambda e: bind("coordinates", (q,), e, (K,))
of_s = lambda e: bind("coordinates", (s,), e, (K,))
p_m, p_q = perm(h, m, l), perm(h, q, s)
both = p_m * p_q


def image(of: Variable, to: Variable) -> Theorem:
    """The vector that h makes of a feature, as a sum over features."""
    return instantiate(carried, {k: of, i: to})


@cache
def product_of_images() -> Theorem:
    """The inner product of two features is that of what h makes of them."""
    pair = v(m, a) * v(q, b)
    known = instantiate(identity, {B: ((a, b), pair)})
    each = scaled(pair, orthogonal)
    spread_out = integrate("coordinates", (a, b), each, (r, r))
    first, second = image(m, i), image(q, i)
    sides = first.lhs, second.lhs, first.rhs, second.rhs
    product = show(first.lhs * second.lhs, "==", first.rhs * second.rhs, first, second, *sides)
    return calc(
        gram(m, q),
        ("==", known.rhs),
        ("==", known.lhs, symm(known)),
        ("==", spread_out.rhs),
        ("==", spread_out.lhs, symm(spread_out)),
        ("==", bind("coordinates", (i,), product.lhs, (r,))),
        ("==", bind("coordinates", (i,), product.rhs, (r,)), product),
    )


@cache
def same_product() -> Theorem:
    """v_m.v_q = v_l.v_s where m is carried into l and q into s."""
    picked = [instantiate(single, {k: of, l: to, c: ((n,), v(n, i))}) for of, to in ((m, l), (q, s))]
    (x, u), (x_, u_) = ((thm.lhs, thm.rhs) for thm in picked)
    each = show(x * x_, "==", u * u_, *picked, x, x_, u, u_)
    total = integrate("coordinates", (i,), each, (r,))
    return calc(
        both * gram(m, q),
        ("==", both * product_of_images().rhs, scaled(both, product_of_images())),
        ("==", total.lhs),
        ("==", total.rhs, total),
        ("==", both * gram(l, s)),
    )


@cache
def not_negative() -> tuple[Theorem, Theorem]:
    of_m, of_q = (instantiate(zero_or_one, {k: of, l: to}) for of, to in ((m, l), (q, s)))
    squares = [calc(0, ("<=", thm.lhs), ("==", thm.rhs, thm)) for thm in (of_m, of_q)]
    return squares[0], squares[1]


@cache
def same_odds() -> Theorem:
    """e^{y v_m.v_q} likewise, as e^u >= e^w (1 + u - w)."""
    first, second = y * gram(m, q), y * gram(l, s)
    some = times(p_m, not_negative()[1], not_negative()[0])
    positive = calc(0, ("==", some.lhs), ("<=", both, some))
    tangent = show(1 + one, "<=", exp(one))

    def below(x: Term, x_: Term, same: Theorem) -> Theorem:
        e, at = exp(x_), instantiate(tangent, {one: x - x_})
        return calc(
            both * e,
            ("==", both * e + e * y * same.rhs - e * y * same.rhs),
            ("==", both * e + e * y * same.lhs - e * y * same.rhs, scaled(e * y, symm(same))),
            ("==", both * e * at.lhs),
            ("<=", both * e * at.rhs, times(both * e, at, positive)),
            ("==", both * exp(x)),
        )

    up, down = below(first, second, same_product()), below(second, first, symm(same_product()))
    left, right = both * exp(first), both * exp(second)
    apart = left - right
    more, less = chain(gap(up), apart), chain(gap(down), -apart)
    bounds = show(apart, "<=", 0, less, apart), show(-apart, "<=", 0, more, apart)
    none = show(apart, "==", 0, *bounds, apart)
    return calc(left, ("==", right + apart), ("==", right, none))


def summed(one: Theorem, *names: Variable) -> Theorem:
    """Summed over classes, the last name first."""
    for name in reversed(names):
        one = integrate("coordinates", (name,), one, (K,))
    return one


@cache
def same_total() -> Theorem:
    """The sum of the odds of a query is that of the one it is carried into."""
    total = lambda of: of_m(odds(m, of))
    known, reached = instantiate(rows, {c: ((k,), odds(k, q))}), instantiate(columns, {c: ((l,), odds(l, s))})
    moved = summed(same_odds(), m, l)
    return calc(
        p_q * total(q),
        ("==", p_q * known.rhs),
        ("==", p_q * known.lhs, scaled(p_q, symm(known))),
        ("==", moved.lhs),
        ("==", moved.rhs, moved),
        ("==", p_q * reached.lhs),
        ("==", p_q * reached.rhs, scaled(p_q, reached)),
        ("==", p_q * total(s)),
    )


@cache
def same_inverse() -> Theorem:
    """So is one over it."""
    left, right, known = of_n(odds(n, q)), of_n(odds(n, s)), same_total()
    scale = 1 / (left * right)
    return calc(
        p_q * (1 / left),
        ("==", scale * (p_q * right), left, right),
        ("==", scale * (p_q * left), scaled(scale, symm(known))),
        ("==", p_q * (1 / right), left, right),
    )


@cache
def same_weight() -> Theorem:
    """The attention on a class."""
    left, right = 1 / of_n(odds(n, q)), odds(l, s)
    return calc(
        both * weight(m, q),
        ("==", left * (both * odds(m, q))),
        ("==", left * (both * right), scaled(left, same_odds())),
        ("==", p_m * right * (p_q * left)),
        ("==", p_m * right * same_inverse().rhs, scaled(p_m * right, same_inverse())),
        ("==", both * weight(l, s)),
    )


@cache
def same_own() -> Theorem:
    """The attention on the own class."""
    known, square = instantiate(same_weight(), {m: q, l: s}), instantiate(zero_or_one, {k: q, l: s})
    left, right = weight(q, q), weight(s, s)
    return calc(
        p_q * left,
        ("==", left * p_q**2, scaled(left, symm(square))),
        ("==", known.lhs),
        ("==", known.rhs, known),
        ("==", right * p_q**2),
        ("==", right * p_q, scaled(right, square)),
    )


@cache
def same_length() -> Theorem:
    """The sum of the squares of the attentions."""
    squares, square = instantiate(same_total(), {y: 2 * y}), instantiate(zero_or_one, {k: q, l: s})
    inverse, total, known = 1 / of_n(odds(n, q)), of_n(odds(n, s, 2)), same_inverse()
    last = known.rhs
    return calc(
        p_q * length(q),
        ("==", inverse**2 * squares.lhs),
        ("==", inverse**2 * squares.rhs, scaled(inverse**2, squares)),
        ("==", inverse**2 * total * p_q),
        ("==", inverse**2 * total * p_q**2, scaled(inverse**2 * total, symm(square))),
        ("==", total * (inverse * p_q) * known.lhs),
        ("==", total * (inverse * p_q) * last, scaled(total * (inverse * p_q), known)),
        ("==", total * last * known.lhs),
        ("==", total * last * last, scaled(total * last, known)),
        ("==", total / of_n(odds(n, s)) ** 2 * p_q**2),
        ("==", total / of_n(odds(n, s)) ** 2 * p_q, scaled(total / of_n(odds(n, s)) ** 2, square)),
        ("==", p_q * length(s)),
    )


@cache
def same_off() -> Theorem:
    """-H off the diagonal."""
    A, W, Q = weight(q, q), weight(m, q), length(q)
    A_, W_, Q_ = weight(s, s), weight(l, s), length(s)
    return calc(
        both * off(m, q),
        ("==", W * p_m * (p_q * A) + W * (both * W) - W * p_m * (p_q * Q)),
        (
            "==",
            W * p_m * (p_q * A_) + W * (both * W_) - W * p_m * (p_q * Q_),
            scaled(W * p_m, same_own()),
            scaled(W, same_weight()),
            scaled(W * p_m, same_length()),
        ),
        ("==", (A_ + W_ - Q_) * (both * W)),
        ("==", (A_ + W_ - Q_) * (both * W_), scaled(A_ + W_ - Q_, same_weight())),
        ("==", both * off(l, s)),
    )


def turned(e: Term) -> Term:
    """An entry of o(h) E o(h)' for a matrix with the entries e at i and j."""
    return entries(turn(h, i, a) * instantiated(e, {i: a, j: b}) * turn(h, j, b))


def pair_of_images(of: Variable, to: Variable) -> Theorem:
    """The product of coordinates i and j of what h makes of two features, as sums over features."""
    first, second = image(of, i), image(to, j)
    sides = first.lhs, second.lhs, first.rhs, second.rhs
    return show(first.lhs * second.lhs, "==", first.rhs * second.rhs, first, second, *sides)


@cache
def diagonal_commutes() -> Theorem:
    """The part of the queries' own classes."""
    picked = instantiate(single, {k: q, l: s, c: ((n,), v(n, j))})
    own = weight(q, q)
    first = summed(scaled(own, pair_of_images(q, q)), q)
    moved = summed(scaled(own * v(s, i), picked), q, s)
    reached = instantiate(columns, {c: ((l,), weight(l, l) * v(l, i) * v(l, j))})
    same = summed(scaled(v(s, i) * v(s, j), same_own()), q, s)
    return calc(
        first,
        ("==", moved.lhs),
        ("==", moved.rhs, moved),
        ("==", same.lhs),
        ("==", same.rhs, same),
        ("==", reached.lhs),
        ("==", reached.rhs, reached),
    )


@cache
def across_commutes() -> Theorem:
    """The part of the other classes."""
    first = summed(scaled(off(m, q), pair_of_images(m, q)), q, m)
    same = summed(scaled(v(l, i) * v(s, j), same_off()), m, q, l, s)
    to_s = summed(scaled(of_m(p_m) * v(l, i), instantiate(columns, {c: ((s,), off(l, s) * v(s, j))})), l)
    to_l = instantiate(columns, {c: ((l,), of_s(off(l, s) * v(l, i) * v(s, j)))})
    return calc(
        first,
        ("==", same.lhs),
        ("==", same.rhs, same),
        ("==", to_s.lhs),
        ("==", to_s.rhs, to_s),
        ("==", to_l.lhs),
        ("==", to_l.rhs, to_l),
    )


@cache
def commutes() -> Theorem:
    """Minus the gradient at a number times the identity is not changed by the group."""
    return calc(
        turned(upward),
        ("==", spread / K * (diagonal_commutes().lhs - across_commutes().lhs)),
        (
            "==",
            spread / K * (diagonal_commutes().rhs - across_commutes().rhs),
            diagonal_commutes(),
            across_commutes(),
            diagonal_commutes().lhs,
            across_commutes().lhs,
        ),
        ("==", upward),
    )


@cache
def multiple_of_the_identity() -> Theorem:
    """Minus the gradient is its trace over r times the identity."""
    mean = instantiate(schur, {B: ((a, b), instantiated(upward, {i: a, j: b}))})
    whole_ = integrate("coordinates", (h,), commutes(), (N,))
    return calc(
        upward,
        ("==", whole_.rhs / N),
        ("==", whole_.lhs / N, scaled(1 / N, symm(whole_))),
        ("==", mean.lhs),
        ("==", mean.rhs, mean),
        ("==", trace(upward) / r * unit(i, j)),
    )
