"""What Li, Duan & Liang read off the curves of their figures, in the model that they analyse and in
a block like the one that they train.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, Verdict
from numerics.figures.features.block import Curves, initial_block, train
from numerics.figures.features.prompts import cosine_prompts, polynomial_prompts
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim

ENGINE = "Monte Carlo"
TRIED = "width 32, Adam at .01, .003 and .001, one seed"
FASTER = (
    r"By the scaling of $f$ and $\eta$, under the flow $\mathrm{loss}_L(t)=L^2\,\mathrm{loss}_1(L^2t)$ for any tokens and tasks "
    r"that are proportional to $L$, and a loss never rises under its flow."
)


@claim(
    "LDL:Sec6.F1",
    false="gap",
    why=r"The prediction is a weighted mean of labels, all of size at most $L/c=.2$: an error is at most $.4$ and the "
    r"squared loss at most "
    r"$.16$ at every epoch, from the first on.",
    details=r"For a block with a feed-forward part, whose output is no mean of labels, 1 is possible; but it is 25 times "
    r"the largest loss of "
    r"the prediction 0, so that this fall is that of the output to the size of the labels, and not that of Theorem 1.",
    instead=r"In the analysed model the loss is at most $4L^2/c^2$, $.16$ at $L=.1$ and $c=\frac12$.",
    costs="nothing",
    needs=("LDL:Sec6.F1/bound",),
    hypotheses=("L == 1/10", "c == 1/2"),
)
def loss_is_one_at_epoch_40() -> Evidence:
    r"""A loss of 1 is at most the largest one, $(2\frac Lc)^2$, that labels and predictions in
    $[-\frac Lc,\frac Lc]$ have: refuted at $L=\frac1{10}$, $c=\frac12$.
    """
    L, c = sp.symbols("L c", positive=True)
    tenth, half = sp.Rational(1, 10), sp.Rational(1, 2)
    return forall(sp.S.One, "<=", (2 * L / c) ** 2, {L: Closed(tenth, tenth), c: Closed(half, half)})


@claim("LDL:Sec6.F1/bound", control=(dict(bound=Fraction(15, 100)),))
def loss_is_bounded(*, bound: Fraction = Fraction(16, 100)) -> Evidence:
    r"""The squared error of a prediction in $[-\frac Lc,\frac Lc]$ is at most `bound` = 16/100 at
    $L=\frac1{10}$, $c=\frac12$.
    """
    y, f = sp.symbols("y f", real=True)
    fifth = Closed(-sp.Rational(1, 5), sp.Rational(1, 5))
    return forall((y - f) ** 2, "<=", sp.Rational(bound), dict.fromkeys((y, f), fifth))


@cache
def block_curves(L: float, rate: float) -> Curves:
    """Train the block on the cosine tasks, 300 epochs on 300 prompts."""
    return train(initial_block(15, 32, 0), cosine_prompts(L), 300, rate)


@claim("LDL:Sec6.F1/block", open="the paper gives neither width nor rate nor optimiser; a few were tried")
def block_attends_to_the_class() -> Evidence:
    r"""In a block the loss at $L=.1$ is about 1 at epoch 40, and $\mathrm{Attn}_1$ at least
    $\frac9{10}$ at epoch 250, for some of the rates tried.
    """
    found = [(c.loss[40], c.attention[250].diagonal().mean()) for c in (block_curves(0.1, rate) for rate in (0.01, 0.003, 0.001))]
    says = "; ".join(f"loss {loss:.2g} at epoch 40, attention {a:.2f} at 250" for loss, a in found)
    if any(0.5 < loss < 2 and a >= 0.9 for loss, a in found):
        return Evidence(verdict=Verdict.SUPPORTED, engine=ENGINE, covered=f"{TRIED}: {says}")
    return Evidence(verdict=Verdict.OPEN, engine=ENGINE, reason=f"not with {TRIED}: {says}")


def slower(power: int) -> Evidence:
    """The time to a given share of the loss, T / L^power, does not grow with L."""
    L, s, T = sp.symbols("L s T", positive=True)
    return forall(T / (s * L) ** power, "<=", T / L**power, {L: (0, oo), s: (1, oo), T: (0, oo)})


@claim("LDL:Sec6.mono", control=(dict(power=-1),), argument=FASTER, needs=("OURS:R9",), hypotheses=("L > 0", "s > 1"))
def attention_is_faster_for_larger_slopes(*, power: int = 2) -> Evidence:
    r"""The time $T/L^p$, `power` $p=2$, to a given attention, or share of the loss at the start,
    falls with $L$ at one learning rate. (To a given loss it need not: at $L=.1$ it may be 0.)
    """
    return slower(power)


@claim(
    "LDL:Sec6.F1s",
    false="gap",
    why=r"At one $\eta$ the flow at $L=1$ is that at $L=.1$ ten squared times faster: a loss of .6 at epoch 30 leaves "
    r"an attention below "
    r".81 at $L=.1$ until epoch 3000, not 1 by 250.",
    details=r"The loss at $L=1$ is at most $16(1-\mathrm{Attn})^2$, as labels differ by at most $2L/c=4$. Theorem 1 has the "
    r"factor $L^{-2}$, "
    r"too; the paper names no $\eta$ and explains the times by larger gradients.",
    instead=r"$\mathrm{Attn}(t;L,\eta)$ depends on $\eta L^2t$ only. The curves at $L=1$ and $L=.1$ fit together if $\eta$ is "
    r"about a hundred times larger at $L=.1$, or if the block has other dynamics than the model.",
    costs="nothing",
    needs=("OURS:R9",),
    hypotheses=("L == 1", "c == 1/2", "Attn >= 9/10"),
)
def both_regimes_fit_at_one_rate() -> Evidence:
    r"""If $\mathrm{Attn}\geq\frac9{10}$ at $L=.1$ by epoch 250, then at $L=1$ by epoch 3 under the
    flow. That a loss of $\frac12$ at epoch 30 is at most the largest one,
    $(2\frac Lc(1-\mathrm{Attn}))^2$, is refuted at $\mathrm{Attn}=\frac9{10}$, and so above it.
    """
    L, c, Attn = sp.symbols("L c Attn", positive=True)
    box = {x: Closed(at, at) for x, at in ((L, sp.S.One), (c, sp.Rational(1, 2)), (Attn, sp.Rational(9, 10)))}
    return forall(sp.Rational(1, 2), "<=", (2 * L / c * (1 - Attn)) ** 2, box)


@claim("LDL:A.maps", control=(dict(rate=500),))
def diagonals_approach_one(*, rate: int = 1000) -> Evidence:
    r"""With attention alone and learning rate `rate` = 1000 all diagonal attentions exceed
    $\frac9{10}$ at epoch 300 for $L=.1$, and at 200 for $L=1$ with a hundredth of it; all others
    are below $\frac1{10}$ and columns sum to 1.
    """
    ends = []
    for L, epochs, eta in ((0.1, 300, rate), (1.0, 200, rate / 100)):
        ends.append(train({"Q": np.zeros((15, 15))}, cosine_prompts(L), epochs, eta, "gd").attention[-1])
    least = min(float(end.diagonal().min()) for end in ends)
    sums = max(float(abs(end.sum(0) - 1).max()) for end in ends)
    if least > 0.9 and sums < 1e-9:
        return Evidence(
            verdict=Verdict.SUPPORTED,
            engine=ENGINE,
            covered=f"one seed, eta = {rate} and {rate / 100:g}: least diagonal {least:.3f}",
        )
    return Evidence(verdict=Verdict.REFUTED, engine=ENGINE, witness={"least diagonal": least}, witness_by="statistics", error=1e-9)


@claim("LDL:A.poly.fast", control=(dict(power=-1),), argument=FASTER, needs=("OURS:R9",), hypotheses=("L > 0", "s > 1"))
def polynomials_are_faster_for_larger_slopes(*, power: int = 2) -> Evidence:
    r"""The time $T/L^p$, `power` $p=2$, to a given share of the loss at the start falls with $L$,
    for attention alone and at one learning rate.
    """
    return slower(power)


@claim(
    "LDL:A.poly.two",
    open="the paper does not say what a phase is, nor how it trains; loss curves of attention alone were looked at",
)
def polynomial_losses_have_phases() -> Evidence:
    r"""The loss with polynomial tasks changes its speed once for $L=.1$ and twice for $L=1$; the
    curves are reported, nothing is counted.
    """
    says = []
    for L in (0.1, 1.0):
        curve = train({"Q": np.zeros((30, 30), np.float32)}, polynomial_prompts(L, M=100), 40, 1.0, "gd").loss
        says.append(f"L = {L:g}: {', '.join(f'{x / curve[0]:.3f}' for x in curve[::10])}")
    return Evidence(
        verdict=Verdict.OPEN,
        engine=ENGINE,
        reason=f"shares of the first loss every 10 epochs, attention alone, eta = 1: {'; '.join(says)}",
    )
