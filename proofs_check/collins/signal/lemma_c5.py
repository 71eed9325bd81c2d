"""Lemma C.5 and Corollary C.6 of Collins et al.: the signal term of affine tasks from below, which
a bound of ours gives for every prompt length, with its constant.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from proofs_check.instances.window.from_below import BELOW, EVERY, LONG, WIDE, d, w


@claim("COL:C.5/wide", control=(dict(share=3), dict(power=0)))
def signal_of_order_one_over_w2(*, share: int = 8, power: int = 1) -> Evidence:
    r"""For $d\geq2$ and $w\geq\frac{d+\sqrt d}{2}$ the root of $3d/L^2$ times the signal term is at
    least $\frac{d-1}{w}$ over `share` = 8, where $w$ has the exponent `power` = 1, derived for
    every prompt length from the properties of uniform tokens and tasks that R8 uses. It is tried on
    long prompts for $d=3$, where that root is $1-\coth2w+\frac{1}{2w}$, and the last step on
    $\frac{d-1}{d-1+4w}$.
    """
    long = forall(LONG, ">=", 2 / (share * w**power), {w: (Fraction(237, 100), oo)})
    search = forall(BELOW, ">=", (d - 1) / (share * w**power), EVERY, where=[WIDE])
    return derivation("COL:C.5/wide", all_of(long, search), share=share, power=power)


SMALL_TASKS = Diverging(
    point={"scale": Fraction(1)},
    hypotheses=("scale > 0",),
    sequence=lambda k, scale: {"scale": scale / k},
    ratio=lambda scale: 1 / (4 * scale**2),
    exceeds=Diverging.n**2 / 5,
)


@claim(
    "COL:C.5/narrow",
    **TYPO,
    repair=dict(square=True),
    control=dict(square=True, share=6),
    needs=("OURS:R8.below", "COL:C.2"),
    hypotheses=("scale > 0",),
)
def signal_of_narrow_windows(*, square: bool = False, share: int = 8) -> Evidence:
    r"""Printed (`square` = False): the bounded classes with $L=1/k$ are below every constant. With
    $L^2$, for $d\geq2$ and $w<\frac{d+\sqrt d}{2}$, the root of $3d/L^2$ times the signal term is
    at least 1 over `share` = 8.
    """
    if not square:
        return along(SMALL_TASKS)
    search = forall(BELOW, ">=", sp.Rational(1, share), EVERY, where=[(w, "<", (d + sp.sqrt(d)) / 2)])
    return derivation("COL:C.5/narrow", search, share=share)


@claim("COL:C.5.c2", control=dict(share=Fraction(1, 8)))
def case_two(*, share: int | Fraction = 8) -> Evidence:
    r"""The bound holds with $C=\sqrt8e^{-2(d+\sqrt d)}$ over `share` = 8, as $e^{2w}/w^{d/2+1}$ is
    at most $e^{2(d+\sqrt d)}/w^2$ in the range, from the properties of uniform tokens and tasks
    that R8 uses. It is tried on long prompts for $d=3$, where the root of $3d/L^2$ times the signal
    term is $1-\coth2w+\frac{1}{2w}$, whether it is at least $e^{2w-2(d+\sqrt d)}w^{-(d/2+1)}$ over
    `share`.
    """
    bound = sp.exp(2 * w - 2 * (3 + sp.sqrt(3))) / w ** sp.Rational(5, 2) / share
    long = forall(LONG, ">=", bound, {w: (Fraction(237, 100), Fraction(473, 100))})
    return derivation("COL:C.5.c2", long, share=share)


@claim("COL:C.5.c3", control=dict(eight=Fraction(1, 5)))
def case_three(*, eight: int | Fraction = 8) -> Evidence:
    r"""The bound of Case 3 for all $C_b\leq C^b$, where 24 is 3 times `eight` = 8, from
    $\frac{d-1}{d-1+4w}\geq\frac{1}{1+4w}$ and the properties of uniform tokens and tasks that R8
    uses. It is tried on long prompts for $d=3$, where the root of $3d/L^2$ times the signal term is
    $1-\coth2w+\frac{1}{2w}$, and whether the square of $\frac{1}{1+4w}$ times `eight` is at least
    $\frac14e^{-4w}$.
    """
    long = forall(
        eight * LONG**2, ">=", sp.exp(-4 * w) / 4, {w: Closed(Fraction(1, 100), Fraction(236, 100))}
    )
    search = forall(eight / (1 + 4 * w) ** 2, ">=", sp.exp(-4 * w) / 4, {w: (0, oo)})
    return derivation("COL:C.5.c3", all_of(long, search), eight=eight)


@claim(
    "COL:C.6/lower",
    **TYPO,
    repair=dict(omega=True),
    control=dict(omega=True, share=3),
    needs=("COL:C.2",),
    hypotheses=("C > 0", "w > 0"),
)
def for_every_width(*, omega: bool = False, share: int = 4) -> Evidence:
    r"""Printed (`omega` = False): $\frac{C}{(w+1)^2}$, which is $O(\frac{1}{(w+1)^2})$ for every
    $C$, is at most 4, as the signal term is by Lemma C.2, over $L^2$. With $\Omega$: for $d\geq2$
    and all $w>0$ the root of $3d/L^2$ times the signal term is at least $\frac{1}{w+1}$ over
    `share` = 4, derived for every prompt length from the properties of uniform tokens and tasks
    that R8 uses; the last step is tried on $\frac{d-1}{d-1+4w}$.
    """
    if not omega:
        C = sp.Symbol("C", positive=True)
        return forall(C / (w + 1) ** 2, "<=", 4, {C: (0, oo), w: (0, oo)})
    search = forall(BELOW, ">=", 1 / (share * (w + 1)), EVERY)
    return derivation("COL:C.6/lower", search, share=share)
