"""What Li, Duan & Liang read off the curves of their figures, in the model that they analyse."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.evidence import Evidence
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from theory.regression.features.reduced import ReducedAttention

MODEL = (
    "The model is the one that the theorems analyse: attention alone, without feed-forward part, layer "
    "norm and linear head."
)
#: K and the largest member of the flat and least of the sharp set that Figures 1 to 3 compare.
CLASSES, FLAT = 4, Fraction(1, 10)
FASTER = (
    r"By R9, under the flow $\mathrm{loss}_L(t)=L^2\,\mathrm{loss}_1(L^2t)$ for any tokens and tasks that "
    "are proportional to $L$, and a loss never rises under its flow."
)


@claim("LDL:Sec6.F1/bound", control=(dict(bound=Fraction(15, 100)),), fragment=MODEL)
def loss_is_bounded(*, bound: Fraction = Fraction(16, 100)) -> Evidence:
    r"""The squared error of a prediction in $[-\frac Lc,\frac Lc]$ is at most $.16$ at
    $L=\frac1{10}$, $c=\frac12$: in the analysed model the loss is never near 1, which a block with
    a feed-forward part and a head can have.
    """
    y, f = sp.symbols("y f", real=True)
    fifth = Closed(-sp.Rational(1, 5), sp.Rational(1, 5))
    return forall((y - f) ** 2, "<=", sp.Rational(bound), dict.fromkeys((y, f), fifth))


def slower(power: int) -> Evidence:
    """The time to a given share of the loss, T / L^power, does not grow with L."""
    L, s, T = sp.symbols("L s T", positive=True)
    return forall(T / (s * L) ** power, "<=", T / L**power, {L: (0, oo), s: (1, oo), T: (0, oo)})


@claim(
    "LDL:Sec6.mono/model",
    control=(dict(power=-1),),
    argument=FASTER,
    needs=("OURS:R9",),
    hypotheses=("L > 0", "s > 1"),
)
def attention_is_faster_for_larger_slopes(*, power: int = 2) -> Evidence:
    r"""The time $T/L^2$ to a given attention, or share of the loss at the start,
    falls with $L$ for attention alone at one learning rate. That to a given loss is another claim.
    """
    return slower(power)


def progress(y: sp.Expr) -> sp.Expr:
    """The time at which e^z is y for four classes, up to a factor that is 1/L^2 and a constant."""
    return y**2 / 2 + 9 * y + 27 * log(y) - 27 / y


@claim(
    "LDL:Sec6.mono/loss",
    control=dict(least=Fraction(4, 3)),
    needs=("OURS:R7.time",),
    fragment=MODEL + " Orthonormal features, exchangeable tasks, balanced prompts, four classes.",
    hypotheses=("u > 4/3",),
)
def loss_converges_sooner(*, least: int | Fraction = 2) -> Evidence:
    r"""The flow comes later to a level of the loss at $L$ than at $2L$, where the level has
    $1-\mathrm{Attn}=\frac1u$ at $L$ and $\frac1{2u}$ at $2L$, for $u\geq2$, that is, at
    $(\frac23)^2$ of the initial loss of $L$ or less: $4(G(3(u-1))-G(1))\geq G(3(2u-1))-G(1)$ with
    $G(y)=\frac{y^2}2+9y+27\ln y-\frac{27}y$. Training starts at $u=\frac43$, near which $2L$ takes
    longer. To small levels $\epsilon^2$ the time is $\frac{K-1}{4\eta\epsilon^2}$ for every $L$, up
    to lower orders.
    """
    u = sp.Symbol("u", positive=True)
    start = progress(sp.S.One)
    domain = {u: (sp.Rational(least), oo)}
    return forall(4 * (progress(3 * (u - 1)) - start), ">=", progress(3 * (2 * u - 1)) - start, domain)


@claim(
    "LDL:Sec6.F1s/phases",
    control=dict(power=1),
    needs=("LDL:4.thr/scaling", "OURS:R9"),
    fragment=MODEL + " What is printed, that curves of the block have three phases, is not tried.",
)
def every_slope_has_the_same_phases(*, power: int = 2) -> Evidence:
    r"""In the model the curves of $L=1$ and of $L=.1$ are one curve: the step of the score gap $z$
    at $(sL,\eta)$ is that at $(L,s^2\eta)$, where the control has another power, for every $s$ and
    $K=4$, $L=\frac1{10}$, $\eta=1$, so that neither has a phase which the other has not. It is no
    part of what is printed, and does not say how many phases the curves of a block show.
    """
    s, z, C = sp.Symbol("s", positive=True), sp.Symbol("z", nonnegative=True), sp.Symbol("C", positive=True)
    step = ReducedAttention(sp.Integer(CLASSES), C).slope(z)
    rate = lambda L, eta: step.subs(C, 2 * eta * L**2)
    with sp.evaluate(False):
        sharp, flat = rate(s * sp.Rational(FLAT), sp.S.One), rate(sp.Rational(FLAT), s**power)
    return identity(computed(r"\dot z(sL,\eta)", sharp), flat)


@claim(
    "LDL:A.poly.fast/model",
    control=(dict(power=-1),),
    argument=FASTER,
    needs=("OURS:R9",),
    hypotheses=("L > 0", "s > 1"),
)
def polynomials_are_faster_for_larger_slopes(*, power: int = 2) -> Evidence:
    r"""The time $T/L^2$ to a given share of the loss at the start falls with $L$,
    for attention alone and at one learning rate.
    """
    return slower(power)
