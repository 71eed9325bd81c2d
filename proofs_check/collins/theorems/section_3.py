"""Section 3 of Collins et al.: the sketch with a hard window, and sentences beside the theorems."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge, undecided

n = Diverging.n
d = sp.Symbol("d", integer=True, positive=True)
w, L, sigma2, whole = sp.symbols("w L sigma2 Lambda", positive=True)


@claim("COL:3.1.ring", control=(dict(power=2), dict(half=3), dict(order=5)))
def centre_of_a_ring(*, half: int = 2, order: int = 1, power: int = 1) -> Evidence:
    r"""The centre of mass of a ring around $x$ whose points are at the distance $\frac{1}{\sqrt w}$
    is at the distance $\frac1w$ over `half` = 2 from $x$, and the squared bias of $Lu^\top x$ is at
    most $\frac{L^2}{2w^2}$ over `order` = 1, in every dimension; $w$ has the exponent `power` = 1.
    It is used that the centre is on the line of $x$, by symmetry, and that the coordinates of the
    direction are uncorrelated and of one mean square. It is tried at the height $t$ with
    $2-2t=\frac1w$ for $d\geq2$.
    """
    t = sp.solve(sp.Eq(2 - 2 * sp.Symbol("t"), 1 / w), sp.Symbol("t"))[0]
    depth = identity(computed("1-t", 1 - t), 1 / (half * w**power))
    domain = {w: (0, oo), L: (0, oo), d: Integers(2, oo)}
    bias = forall(L**2 / d * (1 - t) ** 2, "<=", L**2 / w ** (2 * power) / 2 / order, domain)
    return derivation("COL:3.1.ring", depth, bias, half=half, order=order, power=power)


#: d = 3: the hard window averages over caps of the measure 1/(4w) and the mean height 1 - 1/(4w).
SKETCHED = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("c > 0", "Lambda > 0"),
    sequence=lambda k, c: {"c": c, "Lambda": k**21},
    ratio=lambda c, Lambda: (c * Lambda / 96) ** sp.Rational(1, 3) / (c * Lambda) ** sp.Rational(2, 7),
    exceeds=n / 10,
)


@claim(
    "COL:3.1-sketch/width",
    **charge(false="gap", follows="COL:G.5/large", costs="constants"),
    needs=("OURS:R8.law",),
    repair=dict(dimensions=3),
    control=dict(dimensions=3, cap=2),
    hypotheses=SKETCHED.hypotheses,
)
def sketched_width(*, dimensions: int = 4, cap: int = 1) -> Evidence:
    r"""Printed (`dimensions` = 4): for $d=3$ the minimiser of the sketched loss over
    $\Lambda^{2/7}$ exceeds every constant. With `dimensions` = 3 it is where $w^{2+(d-1)/2}$ is of
    the order $\Lambda$, which has the exponent $\frac{2}{d+3}$; the 1 in $d-1$ is `cap`.
    """
    if dimensions == 4:
        return along(SKETCHED, d=3)
    left = computed(r"1/(2+\tfrac{d-1}{2})", sp.together(1 / (2 + (d - cap) / sp.S(2))))
    return identity(left, sp.S(2) / (d + dimensions))


@claim("COL:3.1-sketch/loss", control=(dict(power=3), dict(share=20)))
def sketched_loss_in_three_dimensions(*, share: int = 16, power: int = 2) -> Evidence:
    r"""For $d=3$ the mean height in the cap above $1-\frac{1}{2w}$ is $1-\frac{1}{4w}$, whose
    square of depth is $w^{-2}$, where the 2 is `power`, over `share` = 16, and the cap has the
    measure $\frac{1}{4w}$, which is $\frac{4}{16w}$ with `share`.
    """
    t = sp.Symbol("t", real=True)
    measure = sp.integrate(sp.Rational(1, 2), (t, 1 - 1 / (2 * w), 1))
    height = sp.integrate(t / 2, (t, 1 - 1 / (2 * w), 1)) / measure
    depth = identity(computed(r"(1-\overline t)^2", sp.expand((1 - height) ** 2)), 1 / (share * w**power))
    return all_of(depth, identity(computed(r"\text{measure}", measure), 4 / (share * w)))


LOOSE = Diverging(
    point={"L": Fraction(2)},
    hypotheses=("L > 0", "w > 0"),
    sequence=lambda k, L: {"L": L, "w": k},
    # L^2/w over the signal of affine tasks for n = oo, d = 3, at most L^2/(36 w^2)
    ratio=lambda L, w: (L**2 / w) / (L**2 / (36 * w**2)),
    exceeds=30 * n,
)


@claim(
    "COL:T3.4.tight",
    **charge(false="gap", costs="constants"),
    needs=("OURS:R8.law", "OURS:R8.signal", "OURS:R8.noise"),
    repair=dict(sharp=True),
    control=(dict(sharp=True, factor=Fraction(3, 5)), dict(sharp=True, below=2)),
    hypotheses=LOOSE.hypotheses,
)
def upper_bound_beside_the_signal(
    *, sharp: bool = False, factor: int | Fraction = 1, below: int = 1
) -> Evidence:
    r"""Printed (`sharp` = False), $\frac{L^2}{w}$ over the signal of affine tasks exceeds every
    constant for $d=3$. With `sharp`: $1-\coth2w+\frac{1}{2w}$ is at most `factor` = 1 times
    $\frac{1}{2w}$ and at least `below` = 1 times half of it, for $w\geq1$.
    """
    if not sharp:
        return along(LOOSE, d=3)
    off = 1 - (1 + sp.exp(-4 * w)) / (1 - sp.exp(-4 * w)) + 1 / (2 * w)
    above = forall(off, "<=", factor / (2 * w), {w: (0, oo)}, where=[(w, ">=", 1)])
    return all_of(above, forall(off, ">=", below / (4 * w), {w: (0, oo)}, where=[(w, ">=", 1)]))


@claim("COL:T3.6.lead", needs=("COL:T3.6",))
def linear_tasks() -> Evidence:
    r"""On tasks $Lu^\top x$, where linear attention has no window either, its loss with $M=\frac
    dnI$ and $\sigma=0$ is $(1-\frac1d)\frac{L^2}{n}$, as $\mathbb E\,u^\top x_i\,x_i^\top
    x=\frac{u^\top x}{d}$: at most $\frac{L^2}{n}$.
    """
    tokens = sp.Symbol("n", integer=True, positive=True)
    loss = computed(r"\mathcal L_{LA}(\tfrac dnI)", L**2 * (1 - sp.S.One / d) / tokens)
    least = forall(loss, "<=", L**2 / tokens, {d: Integers(1, oo), tokens: Integers(1, oo), L: (0, oo)})
    told = f"on linear tasks, which have no offset, the loss without a window tends to 0: {least.verdict}"
    return undecided(least.engine, told, checked=least.checked, covered=least.covered)
