"""Theorem E.2 of Collins et al.: the steps to the width for affine tasks."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO

d, e = sp.symbols("d e", integer=True, positive=True)
w, X, n = sp.symbols("w X n", positive=True)
half_d, y = d / sp.S(2), sp.Symbol("y", real=True)


def _least(bound: Callable[[sp.Expr], sp.Expr], dimension: int) -> Evidence:
    """The bound is least at w, from a dimension on."""
    everywhere = {w: (0, oo), y: (-oo, oo), d: Integers(dimension, oo)}
    return forall(bound(w * sp.exp(y)), ">=", bound(w), everywhere)


@claim(
    "COL:E.2-c3",
    **TYPO,
    repair=dict(four=4),
    control=dict(four=5),
    hypotheses=("e in Integers", "e >= 1", "w > 0"),
)
def least_of_the_signal_bound(*, four: int | None = None) -> Evidence:
    r"""For $d=e+2\geq3$ the two parts of the derivative of $\frac{1}{w^2}+\frac{w^{d/2-1}}{n}$
    cancel where $w^{(d+2)/2}$ is $n$ (printed); where it is `four` = 4 times $\frac{n}{e}$, the sum
    is at $we^y$ at least that at $w$, for every real $y$.
    """
    half_e = e / sp.S(2)
    if four is not None:
        bound = lambda width: width**-2 + four * width ** (half_d - 1) / ((d - 2) * w ** (half_d + 1))
        return _least(bound, 3)
    rising = half_e * w ** (half_e - 1) / w ** (half_e + 2)
    return identity(computed(r"\partial_w(w^{e/2}/n)", sp.powsimp(sp.simplify(rising))), 2 / w**3)


@claim("COL:E.2p/argmin", **TYPO, repair=dict(four=4), control=dict(four=5), hypotheses=("w > 0",))
def least_width(*, four: int = 1) -> Evidence:
    r"""Where $w^{(d+4)/2}$ is `four` (printed: 1) times $\Lambda/d$ the two parts of the derivative
    of $\frac{1}{w^2}+\frac{w^{d/2}}{\Lambda}$ cancel, printed; otherwise this bound is at $we^y$ at
    least that at $w$, for every real $y$.
    """
    if four != 1:
        return _least(lambda width: width**-2 + four * width**half_d / (d * w ** (half_d + 2)), 1)
    rising = half_d * w ** (half_d - 1) / (d * w ** (half_d + 2) / four)
    return identity(computed(r"\partial_w(w^{d/2}/\Lambda)", sp.powsimp(sp.simplify(rising))), 2 / w**3)


@claim("COL:E.2p/value", control=(dict(four=1), dict(one=2), dict(largest=3)))
def value_at_the_printed_width(*, four: int = 4, one: int = 1, largest: int = 1) -> Evidence:
    r"""At the printed width, $\frac1X$ with $X=(\frac{d}{\Lambda})^{2/(d+4)}$, the bound is
    $X^2(1+\frac1d)$, where the 1 in $\frac1d$ is `one`, and at most `four` = 4 times $X$ for $X$ up
    to `largest` = 1.
    """
    value = X**2 + sp.powsimp(sp.simplify(X ** (half_d + 2) / d * X**-half_d))
    whole = identity(computed(r"\tfrac1{w^2}+\tfrac{w^{d/2}}{\Lambda}", value), X**2 * (1 + one / d))
    return all_of(
        whole,
        forall(X**2 * (1 + 1 / d), "<=", four * X, {X: sp.Interval.Lopen(0, largest), d: Integers(1, oo)}),
    )


@claim("COL:E.2.vac", control=dict(plus=1))
def ends_compared(*, plus: int = 4) -> Evidence:
    r"""With $R=\frac{L^2}{\sigma^2}$ and $n=e^N\geq C(R\log n)^{(d+p)/2}$, where $p$ is `plus` = 4,
    it is $(nR)^{2(d+2)/(d(d+4))}\leq c(\frac{n}{\log n})^{2/d}$ with
    $c=\big(\frac{d+4}{2e}C^{-\frac{d+2}{d+4}}\big)^{\frac4{d(d+4)}}$, which tends to 0 as $C$
    grows, derived for every $d\geq1$, $R>0$, $C>0$ and $n>1$. For $R\geq1$ it is tried that
    $R^{(d+2)/2}\leq R^{(d+p)/2}$.
    """
    R = sp.Symbol("R", positive=True)
    search = forall(
        R ** ((d + 2) / sp.S(2)), "<=", R ** ((d + plus) / sp.S(2)), {R: Closed(1, oo), d: Integers(1, oo)}
    )
    return derivation("COL:E.2.vac", search, plus=plus)
