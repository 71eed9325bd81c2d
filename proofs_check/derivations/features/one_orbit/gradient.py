"""R12: minus the gradient of the loss for exchangeable tasks, classes of one probability and
balanced prompts, at any matrix, without the function that tells classes apart.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.equiangular.multiples import by_moments
from proofs_check.derivations.features.equiangular.setting import (
    K,
    adds_up,
    attention,
    both,
    c,
    common,
    each_class,
    errors,
    here,
    i,
    j,
    k,
    kept,
    m,
    n,
    of_k,
    of_m,
    of_n,
    picks,
    same,
    spread,
    symmetric,
    there,
    v,
    zero_or_one,
)
from proofs_check.derivations.features.steps import scaled


def own(X: Term) -> Term:
    """The attention of the query k on its own class, at a matrix with the entries X."""
    return instantiated(attention(X), {m: k})


def squares(X: Term) -> Term:
    """The sum of the squares of its attentions."""
    return of_n(instantiated(attention(X), {m: n}) ** 2)


def rest(X: Term) -> Term:
    """w_m (w_k + w_m - |w|^2), which is -H_mk in units of sigma_f^2/K."""
    return attention(X) * (own(X) + attention(X) - squares(X))


def plain(X: Term) -> Term:
    """An entry of minus the gradient."""
    off = of_k(of_m(rest(X) * v(m, i) * v(k, j)))
    return spread / K * (of_k(own(X) * v(k, i) * v(k, j)) - off)


@cache
def error_of_classes(X: Term) -> Theorem:
    """For classes E (f_k - yhat)(f_m - yhat) = sigma_f^2 (delta_km - w_k - w_m + |w|^2)."""
    found, S, d = errors(X).rhs, adds_up(X), same(k, m)
    A, B, Q = own(X), attention(X), squares(X)
    of_here, of_there = instantiate(zero_or_one, {m: k}), instantiate(zero_or_one, {k: m})
    turned = calc(
        both * d, ("==", both * same(m, k), symmetric), ("==", same(m, k), kept()), ("==", d, symmetric)
    )
    first = spread * (both * d - there * A * here**2 - here * B * there**2 + both * Q)
    second = spread * (d - there * A * here - here * B * there + both * Q)
    none = calc(
        common * there * (there - 1) * (here**2 - here),
        ("==", common * there * (there - 1) * here**2 - common * there * (there - 1) * here),
        ("==", 0, scaled(common * there * (there - 1), of_here)),
    )
    return calc(
        both * found,
        ("==", first + none.lhs, S, S.lhs, d, A, B, Q, here, there),
        ("==", first, none),
        (
            "==",
            second,
            scaled(spread, turned),
            scaled(spread * there * A, of_here),
            scaled(spread * here * B, of_there),
        ),
        ("==", spread * (d + both * (Q - A - B))),
    )


def of_all(e: Term) -> Theorem:
    """A sum over two classes is that with delta_kk delta_mm in it."""
    inner = instantiate(each_class, {c: ((m,), here * e)})
    outer = instantiate(each_class, {c: ((k,), of_m(e))})
    return calc(
        of_k(of_m(both * e)),
        ("==", of_k(inner.lhs)),
        ("==", of_k(inner.rhs), inner),
        ("==", outer.lhs),
        ("==", of_k(of_m(e)), outer),
    )


@cache
def without_delta(X: Term) -> Theorem:
    """The gradient by the second moments of the tasks, in sums over classes alone."""
    A, B, product = own(X), attention(X), v(m, i) * v(k, j)
    pair, found = product * B, errors(X).rhs
    each = scaled(pair, error_of_classes(X))
    total = integrate("coordinates", (k,), integrate("coordinates", (m,), each, (K,)), (K,))
    off, d = pair * (squares(X) - A - B), same(k, m)
    picked = instantiate(picks, {m: k, c: ((n,), v(n, i) * instantiated(B, {m: n}))})
    diagonal = calc(
        of_k(of_m(d * pair)),
        ("==", of_k(v(k, j) * picked.lhs)),
        ("==", of_k(v(k, j) * picked.rhs), picked),
        ("==", of_k(here * (A * v(k, i) * v(k, j)))),
        ("==", of_k(A * v(k, i) * v(k, j)), instantiate(each_class, {c: ((k,), A * v(k, i) * v(k, j))})),
    )
    return calc(
        by_moments(X),
        ("==", 1 / K * of_k(of_m(pair * found))),
        ("==", 1 / K * of_k(of_m(both * (pair * found))), symm(of_all(pair * found))),
        ("==", 1 / K * total.lhs),
        ("==", 1 / K * total.rhs, total),
        ("==", spread / K * (of_k(of_m(d * pair)) + of_k(of_m(both * off)))),
        ("==", spread / K * (diagonal.rhs + of_k(of_m(off))), diagonal, of_all(off)),
        ("==", plain(X)),
    )
