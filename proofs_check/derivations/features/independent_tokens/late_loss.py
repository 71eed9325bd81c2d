"""The loss at a gap between the scores, on prompts of independent tokens: at least half the spread
of the tasks times the square of 1 - A at the mean share of the query's class, by convexity.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    counted,
    here,
    k,
    m,
    zero_or_one,
)
from proofs_check.derivations.features.independent_tokens.attention import (
    UNIT,
    count,
    counts,
    here_between,
    in_counts,
)
from proofs_check.derivations.features.independent_tokens.exchanged import own
from proofs_check.derivations.features.independent_tokens.late import A_own, E, Z, mean_share, there
from proofs_check.derivations.features.independent_tokens.two_classes import expectation, prompt, token
from proofs_check.derivations.features.steps import cancelled, scaled, times

#: 1 - A where the query's class has the share 1/K, and how it falls in the share; K is M + 1.
K_ = M + 1
v, slope = M / (E + M), E * K_**2 / (E + M) ** 2
share = count / N


def line(w: Term) -> Term:
    """The tangent of 1 - A in the share of the query's class."""
    return v - slope * (w - 1 / K_)


@cache
def tangent() -> Theorem:
    """1 - A is convex in the share w of the query's class: (1 - w) - line (1 + (e^z - 1) w) is
    (e^z - 1) slope (w - 1/K)^2.
    """
    w = Variable("share", range=UNIT)
    total, _, rest = map(there, in_counts())
    least, most, _ = counts()
    apart = (E - 1) * slope * (w - 1 / K_) ** 2
    below = calc(
        line(w) * (1 + (E - 1) * w),
        ("==", 1 - w - apart),
        ("<=", 1 - w, show(0, "<=", apart)),
    )
    below = instantiate(below, {w: share}, show(0, "<=", share, least), show(share, "<=", 1, most))
    scaled_ = calc(
        Z * line(share),
        ("==", (N + count * (E - 1)) * line(share), scaled(line(share), total)),
        ("==", N * below.lhs),
        ("<=", N * below.rhs, times(N, below)),
        ("==", N - count),
        ("==", Z * (1 - A_own), symm(rest)),
    )
    return cancelled(Z, scaled_, line(share), 1 - A_own, show(0, "<", Z))


@cache
def by_jensen() -> Theorem:
    """delta_kk (M/(e^z + M))^2 <= delta_kk E (1 - A)^2."""
    here_, _ = here_between()
    single = show(1 / K, "==", 1 / K_, counted)
    mean_ = calc(
        here * expectation(share),
        ("==", here * bind("mean", (token,), own)),
        ("==", here * (here / K), scaled(here, mean_share())),
        ("==", here / K, scaled(1 / K, instantiate(zero_or_one, {m: k}))),
        ("==", here / K_, scaled(here, single)),
    )
    each = calc(
        2 * v * line(share) - v**2,
        ("<=", 2 * v * (1 - A_own) - v**2, times(2 * v, tangent())),
        ("<=", (1 - A_own) ** 2),
    )
    whole = integrate("prompt", (prompt,), each)
    return calc(
        here * v**2,
        ("==", here * v**2 - 2 * v * slope * (here / K_ - here / K_)),
        ("==", here * v**2 - 2 * v * slope * (mean_.lhs - here / K_), symm(scaled(-2 * v * slope, mean_))),
        ("==", here * whole.lhs),
        ("<=", here * whole.rhs, times(here, whole, here_)),
    )
