"""Attention, updates and scores along the flow over equiangular features, as functions of lambda.

The mean over the classes of the attention on the own class is written a: it is that of each.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.equiangular.flow import (
    E,
    X,
    nonnegative,
    on_the_line,
    own,
    own_attention,
    y,
)
from proofs_check.derivations.features.equiangular.multiples import (
    at_the_number,
    attention_of,
    gradient,
    gradient_of,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    both,
    c,
    each_class,
    entries,
    here,
    i,
    j,
    k,
    kappa,
    m,
    of_k,
    r,
    same,
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
def updates_now() -> Theorem:
    """The update of q_km is kappa^2 sigma_f^2 K E/(E + M)^3 (delta_mk - delta_mm delta_kk/K)."""
    speed = kappa**2 * spread * K_ * E * y**3
    moved = integrate(
        "coordinates", (i, j), scaled(v(m, i) * v(k, j), gradient_of(on_the_line(), nonnegative())), (r, r)
    )
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
    moved, d = scaled(both, attention_of(on_the_line())), same(m, k)
    split = calc(
        moved, ("==", both * y + (E - 1) * y * d, at_the_number(attention_on_the_line(), nonnegative()))
    )
    return split
