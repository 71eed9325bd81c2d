"""The gradient at x times the one matrix of R7 is a multiple of that matrix."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    adds_up,
    attention,
    both,
    c,
    common,
    counted,
    each_class,
    errors,
    here,
    i,
    j,
    k,
    kappa,
    line,
    m,
    n,
    of_k,
    of_m,
    of_n,
    of_the_query,
    picks,
    projections,
    same,
    shape,
    spread,
    symmetric,
    there,
    total,
    v,
    zero_or_one,
)
from proofs_check.derivations.features.equiangular.weights import (
    A,
    E,
    attention_on_the_line,
    length,
    length_on_the_line,
    own_attention,
    own_attention_on_the_line,
    square_of_the_attention,
    weight,
    y,
)
from proofs_check.derivations.features.steps import scaled

#: sigma_f^2 K E/(E + M)^3, the speed of x without its factor.
speed = spread * (M + 1) * E * y**3


@cache
def update_on_the_line() -> Theorem:
    """delta_mm delta_kk A_mk E(f_k - yhat)(f_m - yhat) = speed (K delta_mk - delta_mm delta_kk)."""
    moved, P, d, turned = errors(line).rhs, both * A, same(m, k), same(k, m)
    on_line, (_, mixed, square) = attention_on_the_line(), projections()
    own_square, other_square = instantiate(zero_or_one, {m: k}), instantiate(zero_or_one, {k: m})
    with_itself = calc(
        P * turned,
        ("==", P * d, scaled(P, symm(symmetric))),
        ("==", d * weight, scaled(d, on_line)),
        ("==", y * (both * d) + (E - 1) * y * (d * d)),
        ("==", y * d + (E - 1) * y * d, scaled(y, mixed), scaled((E - 1) * y, square)),
    )
    with_own = calc(
        P * (here * own_attention),
        ("==", P * (here * (E * y)), scaled(P, own_attention_on_the_line())),
        ("==", E * y * here * weight, scaled(E * y * here, on_line)),
        ("==", E * y**2 * there * here**2 + E * y**2 * (E - 1) * (here * d)),
        (
            "==",
            E * y**2 * there * here + E * y**2 * (E - 1) * d,
            scaled(E * y**2 * there, own_square),
            scaled(E * y**2 * (E - 1), of_the_query()),
        ),
    )
    with_other = calc(
        P * (there * A),
        ("==", here * A**2 * there**2),
        ("==", here * A**2 * there, scaled(here * A**2, other_square)),
        ("==", y**2 * both + (E**2 - 1) * y**2 * d, square_of_the_attention()),
    )
    with_length = calc(
        P * length,
        ("==", there * A * (here * length)),
        ("==", there * A * (here * ((E**2 + M) * y**2)), scaled(there * A, length_on_the_line())),
        ("==", (E**2 + M) * y**2 * weight, scaled((E**2 + M) * y**2, on_line)),
    )
    none = calc(
        both * ((here - 1) * (there - 1)),
        ("==", here**2 * (there**2 - there) - here * (there**2 - there)),
        (
            "==",
            here**2 * (there - there) - here * (there - there),
            scaled(here**2, other_square),
            scaled(-here, other_square),
        ),
        ("==", 0),
    )
    S, parts = adds_up(line).lhs, (with_itself, with_own, with_other, with_length)
    one, two, three, four = parts
    second = calc(
        common * (here - S) * (there - S),
        ("==", common * (here - 1) * (there - 1), adds_up(line), S, here, there),
    )
    return calc(
        both * (A * moved),
        ("==", spread * (one.lhs - two.lhs - three.lhs + four.lhs) + P * second.lhs),
        ("==", spread * (one.lhs - two.lhs - three.lhs + four.lhs) + P * second.rhs, scaled(P, second)),
        ("==", spread * (one.lhs - two.lhs - three.lhs + four.lhs) + common * A * none.lhs),
        ("==", spread * (one.lhs - two.lhs - three.lhs + four.lhs), scaled(common * A, none)),
        (
            "==",
            spread * (one.rhs - two.rhs - three.rhs + four.rhs),
            *(scaled(sign * spread, part) for sign, part in zip((1, -1, -1, 1), parts)),
        ),
        ("==", speed * ((M + 1) * d - both), here, there, d, E),
    )


def updates(X: Term) -> Term:
    """An entry of minus the gradient in Q, at a matrix with the entries X."""
    return of_k(of_m(v(m, i) * (attention(X) * errors(X).rhs) * v(k, j))) / K


@cache
def gradient_on_the_line() -> Theorem:
    """Minus the gradient at x times the matrix is kappa^2 speed times the matrix."""
    d, each = same(m, k), v(m, i) * (A * errors(line).rhs) * v(k, j)
    kept = lambda name, e: instantiate(each_class, {c: ((name,), e)})
    inside = of_m(there * each)
    first = integrate("coordinates", (k,), symm(kept(m, each)), (K,))
    moved = v(m, i) * v(k, j) * (speed * ((M + 1) * d - both))
    column = calc(
        of_m(d * v(m, i)),
        ("==", of_m(same(k, m) * v(m, i)), symmetric),
        ("==", here * v(k, i), instantiate(picks, {m: k, c: ((n,), v(n, i))})),
    )
    squares = calc(
        of_k(of_m(d * v(m, i)) * v(k, j)),
        ("==", of_k(here * v(k, i) * v(k, j)), column),
        ("==", of_n(v(n, i) * v(n, j)), kept(k, v(k, i) * v(k, j))),
    )
    sums = [kept(k, v(k, index)) for index in (i, j)]
    apart = calc(
        of_k(of_m(moved)),
        ("==", speed * (M + 1) * squares.lhs - speed * sums[0].lhs * sums[1].lhs),
        (
            "==",
            speed * (M + 1) * squares.rhs - speed * sums[0].rhs * sums[1].rhs,
            squares,
            *sums,
            squares.lhs,
            *(e.lhs for e in sums),
            E,
        ),
        (
            "==",
            speed * K * squares.rhs - speed * total(i) * total(j),
            scaled(speed * squares.rhs, counted),
        ),
    )
    return calc(
        updates(line),
        ("==", 1 / K * first.lhs),
        ("==", 1 / K * first.rhs, scaled(1 / K, first)),
        ("==", 1 / K * of_k(here * inside), scaled(1 / K, symm(kept(k, inside)))),
        ("==", 1 / K * of_k(of_m(v(m, i) * v(k, j) * (both * (A * errors(line).rhs))))),
        ("==", 1 / K * apart.lhs, update_on_the_line()),
        ("==", 1 / K * apart.rhs, scaled(1 / K, apart)),
        ("==", speed * kappa**2 * shape),
    )
