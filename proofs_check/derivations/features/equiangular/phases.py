"""Attention, updates and scores along the flow over equiangular features, as functions of lambda.

The mean over the classes of the attention on the own class is written a: it is that of each.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    A,
    E,
    X,
    by_moments,
    gradient,
    here_and_now,
    now,
    on_the_line,
    own,
    own_attention,
    same_attention,
    y,
)
from proofs_check.derivations.features.equiangular.gradient import gradient_on_the_line
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    adds_up,
    both,
    c,
    each_class,
    entries,
    errors,
    here,
    i,
    j,
    k,
    kappa,
    line,
    m,
    of_k,
    r,
    same,
    score,
    spread,
    v,
    x,
)
from proofs_check.derivations.features.equiangular.weights import attention_on_the_line, score_on_the_line
from proofs_check.derivations.features.steps import scaled

K_ = M + 1
#: The attention on the own class, averaged over the classes; and the update of the score q_km.
a = of_k(own) / K
update = entries(v(m, i) * gradient(X) * v(k, j))
own_update = instantiated(update, {m: k})
#: Whether m and k are two different classes.
others = both - same(m, k)


@cache
def mean_attention() -> Theorem:
    """a = e^lambda/(e^lambda + M)."""
    gated = integrate("coordinates", (k,), own_attention(), (K,))
    kept = lambda e: instantiate(each_class, {c: ((k,), e)})
    return calc(
        a,
        ("==", 1 / K * gated.lhs, scaled(1 / K, kept(own))),
        ("==", 1 / K * gated.rhs, scaled(1 / K, gated)),
        ("==", E * y / K * of_k(here)),
        ("==", E * y / K * of_k(term(1)), scaled(E * y / K, kept(term(1)))),
        ("==", E * y),
    )


@cache
def gradient_now() -> Theorem:
    """Minus the gradient at Q is kappa^2 times the speed of lambda, times one matrix."""
    at = instantiated(line, here_and_now)
    first = same_attention(on_the_line())
    w = first.rhs
    powers = integrate("coordinates", (m,), show(A**2, "==", w**2, first, A, w), (K,))
    facts = first, instantiate(first, {m: k}), powers, adds_up(X), adds_up(at)
    letters = [side for fact in facts for side in (fact.lhs, fact.rhs) if side != term(1)]
    each = show(A * errors(X).rhs, "==", w * errors(at).rhs, *facts, *letters)
    moved = scaled(v(m, i) * v(k, j), each)
    total = integrate("coordinates", (k,), integrate("coordinates", (m,), moved, (K,)), (K,))
    return calc(
        by_moments(X),
        ("==", 1 / K * total.lhs),
        ("==", 1 / K * total.rhs, scaled(1 / K, total)),
        ("==", now(gradient_on_the_line()).rhs, now(gradient_on_the_line())),
    )


@cache
def updates_now() -> Theorem:
    """The update of q_km is kappa^2 sigma_f^2 K E/(E + M)^3 (delta_mk - delta_mm delta_kk/K)."""
    speed = kappa**2 * spread * K_ * E * y**3
    moved = integrate("coordinates", (i, j), scaled(v(m, i) * v(k, j), gradient_now()), (r, r))
    unit = instantiate(score_on_the_line(), {x: term(1)})
    return calc(
        update,
        ("==", moved.lhs),
        ("==", speed * unit.lhs, moved),
        ("==", speed * (same(m, k) - both / K), scaled(speed, unit)),
    )


@cache
def other_attention_now() -> Theorem:
    """For two different classes the attention is 1/(E + M)."""
    moved, d = scaled(both, same_attention(on_the_line())), same(m, k)
    split = calc(moved, ("==", both * y + (E - 1) * y * d, now(attention_on_the_line())))
    return split


@cache
def score_now() -> Theorem:
    """The score of the query k on the class m is lambda (delta_mk - delta_mm delta_kk/K)."""
    moved = integrate("coordinates", (i, j), scaled(v(m, i) * v(k, j), on_the_line()), (r, r))
    return calc(
        score(X), ("==", moved.lhs), ("==", now(score_on_the_line()).rhs, moved, now(score_on_the_line()))
    )
