"""Theorems 3.5 and E.3 of Collins et al.: a window that was learned for one constant, used on tasks
with another one.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge

n = Diverging.n
d = sp.Symbol("d", integer=True, positive=True)
whole = sp.Symbol("Lambda", positive=True)
beta = 1 / (d + 2)


@claim("COL:E.3.cvx", control=(dict(lower=1), dict(ends=2), dict(less=2)))
def convex_with_small_ends(*, lower: int = 2, ends: int = 1, less: int = 1) -> Evidence:
    r"""For real $d\geq{}$`lower` = 2 the bound over $L^2$, $\frac1w+\frac{w^{d/2}}{\Lambda}$, at
    any number between two ends is at most the mixture of its values there, hence at most the larger
    one; for $\Lambda\geq1$ it is at most $2\Lambda^{-\beta}$ at $w=\Lambda^\beta$, over `less` = 1,
    and $2\Lambda^{-2\beta}$ at $w=\Lambda^{2\beta}$, over `ends` = 1. It is tried at the middle of
    two ends for $d={}$`lower`, and with $y=\Lambda^\beta$.
    """
    low, high, y = sp.symbols("w_1 w_2 y", positive=True)
    bound = lambda width: 1 / width + width ** sp.Rational(lower, 2) / whole
    everywhere = dict.fromkeys((low, high, whole), (0, oo))
    convex = forall(bound((low + high) / 2), "<=", (bound(low) + bound(high)) / 2, everywhere)
    at = lambda power: y**-power + y ** (power * d / 2 - (d + 2))
    first = forall(at(1), "<=", sp.Rational(2, less) / y, {d: Integers(1, oo), y: Closed(1, oo)})
    last = forall(at(2), "<=", sp.Rational(2, ends) / y**2, {d: Integers(1, oo), y: Closed(1, oo)})
    return derivation("COL:E.3.cvx", convex, first, last, lower=lower, ends=ends, less=less)


@claim("COL:E.3.cite", **TYPO, repair=dict(theorem=1), control=dict(theorem=1, two=1), hypotheses=("d >= 2",))
def which_theorem(*, theorem: int = 2, two: int = 2) -> Evidence:
    r"""The upper exponent of Theorem E.`theorem` (printed: 2) is $2\beta$, where the 2 is `two`."""
    upper = {1: sp.S(2) / (d + 2), 2: 2 * (d + 2) / (d * (d + 4))}[theorem]
    return identity(computed(r"\text{upper exponent}", sp.together(upper)), two * beta)


@claim(
    "COL:E.3/steep",
    **charge(false="typo", costs="constants"),
    repair=dict(power=4),
    control=dict(power=Fraction(5, 2)),
    needs=("OURS:R8.law", "COL:B.1-dec", "COL:B.5", "COL:C.7"),
    hypotheses=("d >= 2",),
)
def steeper_tasks(*, power: int | Fraction = 2) -> Evidence:
    r"""Printed (`power` = 2): the exponent $\frac32\cdot2\beta$ of $\Lambda$ in one over the loss
    is at most `power` times $\beta$. In the range of the noise the loss of ReLU tasks of any
    constant $L^\prime$ at a width that minimises the loss of those of the constant $L$ is at least
    $cL^{\prime2}$ over $\Lambda$ to the power of `power` = 4 times $\beta$, derived for every
    $d\geq2$ and every $n$; it is tried on that exponent.
    """
    search = forall(sp.Rational(3, 2) * 2 * beta, "<=", power * beta, {d: Integers(2, oo)})
    return search if power == 2 else derivation("COL:E.3/steep", search, power=power)


RESCALED = Diverging(
    point={"scale": Fraction(1)},
    hypotheses=("scale > 0",),
    # L' = L/2, L^2 = n sigma^2 scale..., all multiplied by the scale: the loss is at most 4 L'^2 +
    # sigma^2
    sequence=lambda k, scale: {"scale": scale / k},
    ratio=lambda scale: 1 / (2 * scale**2),
    exceeds=n**2 / 3,
)


@claim(
    "COL:E.3/flat",
    **charge(false="typo", costs="constants"),
    repair=dict(noise=True),
    control=(dict(noise=True, quarters=2), dict(noise=True, quarters=5)),
    needs=("COL:B.1-dec", "COL:B.5", "COL:C.7"),
    hypotheses=("scale > 0",),
)
def flatter_tasks(*, noise: bool = False, quarters: int = 3) -> Evidence:
    r"""Printed (`noise` = False): rescaled tasks are below every constant. With $\sigma^2$, and in
    the range of the noise, the loss of ReLU tasks of any constant at a width that minimises the
    loss of those of the constant $L$ is at least $c\frac{\sigma^2}{n}$ times $\Lambda$ to the power
    of `quarters` = 3 quarters of $(d-1)\beta$, derived for every $d\geq2$ and every $n$; that power
    is at least the printed $\frac{d\beta}{2}$ for $d\geq3$, and at most $(d-1)\beta$, that of the
    noise term at a width of the order $\Lambda^{2\beta}$.
    """
    if not noise:
        return along(RESCALED, n=1)
    share = sp.Rational(quarters, 4)
    least = forall(d * beta / 2, "<=", share * (d - 1) * beta, {d: Integers(3, oo)})
    most = forall(share * (d - 1) * beta, "<=", (d - 1) * beta, {d: Integers(2, oo)})
    return derivation("COL:E.3/flat", all_of(least, most), quarters=quarters)


@claim(
    "COL:E.3.txt/own",
    **charge(false="gap", costs="nothing"),
    repair=dict(less=1),
    control=dict(less=2),
    needs=("OURS:R8.law", "OURS:R8.signal"),
    hypotheses=("d >= 2",),
)
def scaling_with_its_own_window(*, less: int = 0) -> Evidence:
    r"""The exponent of $L$ in $L^2w^{-3/2}$ at $w=(L^2)^{2/(d+2)}$ is $\frac{2(d-\ell)}{d+2}$,
    where $\ell$ is `less` (printed: 0).
    """
    own = 2 - sp.Rational(3, 2) * 2 * 2 / (d + 2)
    return identity(
        computed(r"2-\tfrac32\cdot2\cdot\tfrac{2}{d+2}", sp.together(own)), 2 * (d - less) / (d + 2)
    )
