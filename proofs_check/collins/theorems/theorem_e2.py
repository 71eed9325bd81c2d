"""Theorem E.2 of Collins et al.: the steps to the width for affine tasks."""

from __future__ import annotations

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim

d, e = sp.symbols("d e", integer=True, positive=True)
w, X, n = sp.symbols("w X n", positive=True)
half_d = d / sp.S(2)


@claim(
    "COL:E.2-c3",
    false="typo",
    why=r"For $d\geq3$ the derivative vanishes where $w^{(d+2)/2}=\frac{4n}{d-2}$; the factor $\frac{4}{d-2}$ is missing.",
    instead=r"For $d\geq3$ it is $(\frac{4n}{d-2})^{2/(d+2)}$, of the printed order.",
    details=r"For $d=2$ the bound $\frac{L^2}{w^2}+\frac{L^2}{n}$ falls for ever and has no minimiser.",
    costs="nothing",
    repair=dict(four=4),
    control=dict(four=5),
    hypotheses=("e in Integers", "e >= 1", "w > 0"),
    argument=r"The derivative is negative below the only point where it vanishes and positive above.",
)
def least_of_the_signal_bound(*, four: int | None = None) -> Evidence:
    r"""For $d=e+2\geq3$ the two parts of the derivative of $\frac{1}{w^2}+\frac{w^{d/2-1}}{n}$
    cancel where $w^{(d+2)/2}$ is $n$ (printed), or `four` = 4 times $\frac{n}{e}$.
    """
    half_e = e / sp.S(2)
    over_n = sp.S.One if four is None else four / e
    rising = half_e * w ** (half_e - 1) / (w ** (half_e + 2) / over_n)
    return identity(computed(r"\partial_w(w^{e/2}/n)", sp.powsimp(sp.simplify(rising))), 2 / w**3)


@claim(
    "COL:E.2p/argmin",
    false="typo",
    why=r"The derivative vanishes where $w^{(d+4)/2}=\frac{4nL^2}{d\sigma^2}$; the factor 4 is missing.",
    instead=r"$w=(\frac{4nL^2}{d\sigma^2})^{2/(d+4)}$; the value that is used is that at the printed width.",
    costs="nothing",
    repair=dict(four=4),
    control=dict(four=5),
    hypotheses=("w > 0",),
)
def least_width(*, four: int = 1) -> Evidence:
    r"""Where $w^{(d+4)/2}$ is `four` (printed: 1) times $\Lambda/d$ the two parts of the derivative
    of $\frac{1}{w^2}+\frac{w^{d/2}}{\Lambda}$ cancel.
    """
    rising = half_d * w ** (half_d - 1) / (d * w ** (half_d + 2) / four)
    return identity(computed(r"\partial_w(w^{d/2}/\Lambda)", sp.powsimp(sp.simplify(rising))), 2 / w**3)


@claim(
    "COL:E.2p/value",
    control=(dict(four=1), dict(one=2), dict(largest=3)),
    argument=r"The line stands in Case 3, where $w>d+\sqrt d$, so that $X=\frac1w<1$. The term $\frac{L^2}{n}$ is at most $L^2X$ "
    r"by the condition on $n$ that is lost.",
)
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


@claim(
    "COL:E.2.vac",
    control=dict(plus=1),
    argument=r"To the power $\frac d2\frac{d+4}{2}$ the line is $R^{(d+2)/2}(\log n)^{(d+4)/2}\leq Cn$, where "
    r"$R=\frac{L^2}{\sigma^2}$. For $R\geq1$ the left side is at most $(R\log n)^{(d+4)/2}$, and for $R<1$ at most "
    r"$(\log n)^{(d+4)/2}$, which is $O(n)$.",
)
def ends_compared(*, plus: int = 4) -> Evidence:
    r"""For $R\geq1$ and every $d\geq1$ it is $R^{(d+2)/2}\leq R^{(d+p)/2}$ with the exponent of the
    hypothesis, where $p$ is `plus` = 4.
    """
    R = sp.Symbol("R", positive=True)
    return forall(
        R ** ((d + 2) / sp.S(2)), "<=", R ** ((d + plus) / sp.S(2)), {R: Closed(1, oo), d: Integers(1, oo)}
    )
