"""What Li, Duan & Liang read off the curves of their figures, in the model that they analyse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp
from sympy import log, oo

from numerics.evidence import Evidence
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from theory.regression.features.reduced import ReducedAttention

MODEL = "The model is the one that the theorems analyse: attention alone, without feed-forward part, layer norm and linear head."
#: K and the largest member of the flat and least of the sharp set that Figures 1 to 3 compare.
CLASSES, FLAT = 4, Fraction(1, 10)
FASTER = (
    r"By R9, under the flow $\mathrm{loss}_L(t)=L^2\,\mathrm{loss}_1(L^2t)$ for any tokens and tasks that are proportional to $L$, "
    r"and a loss never rises under its flow."
)


def only(x: Fraction | int) -> Any:
    """The domain that holds one number."""
    return Closed(x, x)


@claim(
    "LDL:Sec6.F1",
    false="gap",
    why=r"For attention alone the prediction is a mean of labels, all of size at most $L/c=.2$: an error is at most $.4$ and the "
    r"squared loss at most $.16$ at every epoch.",
    details=r"For a block with a feed-forward part and a head, whose output is no mean of labels, 1 is possible; but it is 25 "
    r"times the largest loss of the prediction 0, so that this fall is that of the output to the size of the labels, and not that "
    r"of Theorem 1.",
    instead=r"In the analysed model the loss is at most $4L^2/c^2$, $.16$ at $L=.1$ and $c=\frac12$.",
    costs="nothing",
    needs=("LDL:Sec6.F1/bound",),
    fragment=MODEL,
    hypotheses=("L == 1/10", "c == 1/2"),
)
def loss_is_one_at_epoch_40() -> Evidence:
    r"""A loss of 1 is at most the largest one, $(2\frac Lc)^2$, that labels and predictions in
    $[-\frac Lc,\frac Lc]$ have: refuted at $L=\frac1{10}$, $c=\frac12$.
    """
    L, c = sp.symbols("L c", positive=True)
    return forall(sp.S.One, "<=", (2 * L / c) ** 2, {L: only(FLAT), c: only(Fraction(1, 2))})


@claim("LDL:Sec6.F1/bound", control=(dict(bound=Fraction(15, 100)),))
def loss_is_bounded(*, bound: Fraction = Fraction(16, 100)) -> Evidence:
    r"""The squared error of a prediction in $[-\frac Lc,\frac Lc]$ is at most $.16$ at
    $L=\frac1{10}$, $c=\frac12$.
    """
    y, f = sp.symbols("y f", real=True)
    fifth = Closed(-sp.Rational(1, 5), sp.Rational(1, 5))
    return forall((y - f) ** 2, "<=", sp.Rational(bound), dict.fromkeys((y, f), fifth))


def slower(power: int) -> Evidence:
    """The time to a given share of the loss, T / L^power, does not grow with L."""
    L, s, T = sp.symbols("L s T", positive=True)
    return forall(T / (s * L) ** power, "<=", T / L**power, {L: (0, oo), s: (1, oo), T: (0, oo)})


@claim("LDL:Sec6.mono/model", control=(dict(power=-1),), argument=FASTER, needs=("OURS:R9",), hypotheses=("L > 0", "s > 1"))
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
    false="edge",
    at="levels near the initial loss",
    repair=dict(least=2),
    control=dict(least=Fraction(13, 10)),
    why=r"The loss of a larger $L$ also starts higher: to a level that is $.79$ of the initial loss at $L$ (for $u=\frac32$) the "
    r"way takes a third longer at $2L$, as $L$ has almost nothing to do.",
    instead=r"The time to a level of the loss falls as $L$ doubles if $L$ has to come to $.44$ of its initial loss. To small "
    r"levels $\epsilon^2$ it is $\frac{K-1}{4\eta\epsilon^2}$ for every $L$, up to lower orders.",
    costs="nothing",
    needs=("OURS:R7.time",),
    fragment=MODEL + " Orthonormal features, exchangeable tasks, balanced prompts, four classes.",
    hypotheses=("u > 4/3",),
)
def loss_converges_sooner(*, least: Fraction = Fraction(4, 3)) -> Evidence:
    r"""The flow comes later to a level of the loss at $L$ than at $2L$, where the level has
    $1-\mathrm{Attn}=\frac1u$ at $L$ and $\frac1{2u}$ at $2L$, for $u\geq\frac43$, where
    training starts: $4(G(3(u-1))-G(1))\geq G(3(2u-1))-G(1)$ with
    $G(y)=\frac{y^2}2+9y+27\ln y-\frac{27}y$.
    """
    u = sp.Symbol("u", positive=True)
    start = progress(sp.S.One)
    return forall(4 * (progress(3 * (u - 1)) - start), ">=", progress(3 * (2 * u - 1)) - start, {u: (sp.Rational(least), oo)})


@claim(
    "LDL:Sec6.F1s/phases",
    false="gap",
    follows="LDL:4.dyn",
    why=r"The curves of $L=1$ and of $L=.1$ are one curve in the model: at $L=.1$ with the hundredfold rate every step of $Q$ is "
    r"that at $L=1$, so that neither has a phase which the other has not.",
    instead=r"In the model a step at $(sL,\eta)$ is that at $(L,s^2\eta)$: every $L$ has the same phases.",
    costs="nothing",
    repair=dict(one=True),
    control=dict(power=1),
    needs=("LDL:4.thr/scaling", "OURS:R9"),
    fragment=MODEL,
    hypotheses=("s == 10", "z >= 0"),
)
def sharp_regime_has_other_phases(*, one: bool = False, power: int = 2) -> Evidence:
    r"""That a step of the score gap $z$ at $(sL,\eta)$ with $s=10$ is larger than at $(L,s^2\eta)$
    is refuted; $K=4$, $L=\frac1{10}$, $\eta=1$. Repaired, with `power` for the exponent of $s$ in
    $s^2\eta$, the steps are the same.
    """
    s, z, C = sp.Symbol("s", positive=True), sp.Symbol("z", nonnegative=True), sp.Symbol("C", positive=True)
    step = ReducedAttention(sp.Integer(CLASSES), C).slope(z)
    rate = lambda L, eta: step.subs(C, 2 * eta * L**2)
    with sp.evaluate(False):
        sharp, flat = rate(s * sp.Rational(FLAT), sp.S.One), rate(sp.Rational(FLAT), s**power)
    if one:
        return identity(computed(r"\dot z(10L,\eta)", sharp.subs(s, 10)), flat.subs(s, 10))
    return forall(sharp, ">", flat, {s: only(10), z: Closed(0, oo)})


@claim(
    "LDL:A.maps",
    false="gap",
    why=r"Propositions 2 and 3 have times that go like $1/(\eta L^2)$: at one $\eta$, $L=.1$ takes a hundred times as long as "
    r"$L=1$. Printed are 300 and 200 epochs.",
    details=r"At epoch 30 $L=1$ has a loss of .6 and is not there; so by this law $L=.1$ is not there before epoch 3000.",
    instead=r"Say which learning rate each $L$ had. In the model $\eta$ and $L$ act through $\eta L^2$ alone, so that the times of "
    r"two $L$ compare the choices of $\eta$.",
    costs="nothing",
    needs=("LDL:4.thr/scaling", "OURS:R9"),
    fragment=MODEL + " The learning rate is one for both; the paper names none.",
    hypotheses=("T >= 30", "T <= 200", "L == 1/10"),
)
def maps_support_the_propositions() -> Evidence:
    r"""The time $T/L^2$ to an attention near 1 at $L=\frac1{10}$, by the law of Propositions 2 and
    3, is at most 300, if at $L=1$ it is a $T$ from 30 to 200: refuted for every such $T$.
    """
    T, L = sp.symbols("T L", positive=True)
    return forall(T / L**2, "<=", 300, {T: Closed(30, 200), L: only(FLAT)})


@claim("LDL:A.poly.fast/model", control=(dict(power=-1),), argument=FASTER, needs=("OURS:R9",), hypotheses=("L > 0", "s > 1"))
def polynomials_are_faster_for_larger_slopes(*, power: int = 2) -> Evidence:
    r"""The time $T/L^2$ to a given share of the loss at the start falls with $L$,
    for attention alone and at one learning rate.
    """
    return slower(power)
