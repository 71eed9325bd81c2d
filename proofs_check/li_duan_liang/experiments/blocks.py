"""What Li, Duan & Liang read off the curves of their figures, in a block like the one that they
train. The paper names neither its width nor the learning rate nor the optimiser; what is said here
holds for the choices of `Choices`, and is OPEN for others with which it is not seen.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence
from numerics.experiments.li_duan_liang.block import initial_block, train
from numerics.experiments.li_duan_liang.prompts import cosine_prompts, polynomial_prompts
from numerics.experiments.li_duan_liang.training import FLAT, SHARP, Choices, Experiments, measure
from proofs_check.core.claim import claim
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.outcomes import supported, undecided

Floats = NDArray[np.floating]
#: Training is judged like a flow: by its numbers at one start, or at the mean of several.
ENGINE = "integration of the flow"
BLOCK = "block"
#: A quarter on either side of a number that the paper calls approximate.
ABOUT = 0.25
#: Figures 1 to 3 whole, and of Figure 4 one run of its first epochs.
REDUCED = {1: Choices(), 4: Choices(runs=1, epochs=160)}


@cache
def _reduced(figure: int) -> Experiments:
    return measure(REDUCED[figure], [figure])


def trained(given: Experiments | None, figure: int) -> Experiments:
    """What was measured, or the reduced measurement, which is made once per process."""
    return given or _reduced(figure)


def tried(found: Experiments) -> str:
    c = found.choices
    return f"width {c.width}, {c.optimiser} at {c.rate:g}"


def with_choices(evidence: Evidence, found: Experiments) -> Evidence:
    """What other choices than ours do not show is OPEN."""
    c, usual = found.choices, Choices()
    ours = (c.width, c.optimiser, c.rate) == (usual.width, usual.optimiser, usual.rate)
    if evidence.verdict.accepted:
        return replace(evidence, covered=f"{tried(found)}: {evidence.covered}")
    if ours:
        return evidence
    return undecided(ENGINE, f"not with {tried(found)}: {dict(evidence.witness)}")


def backwards(found: Experiments, tasks: str, L: float, epochs: int) -> Floats:
    """The losses with all prompts in the reverse order: the same numbers by sums that are rounded
    otherwise.
    """
    c = found.choices
    data = cosine_prompts(L) if tasks == "cosine" else polynomial_prompts(L, M=c.prompts)
    turned = data._replace(**{name: part[::-1] for name, part in data._asdict().items()})
    start = initial_block(data.query.shape[1], c.width, 0, data.query.dtype)
    return train(start, turned, epochs, c.rate, c.optimiser).loss


def first(loss: Floats, level: float) -> int:
    """The first epoch at which a loss is at a level; one after the last if none is."""
    there = np.append(loss, -np.inf) <= level
    return int(np.argmax(there))


WHICH_TIME = (
    "the paper does not say to what the loss converges in this time; by two readings it came out differently"
)


def two_times(found: Experiments, tasks: str, share: float, level: float) -> Evidence:
    """The epochs at which the loss of the block comes to a share of that of the attention alone at
    its start, which is proportional to L^2, and to one level for every L; nothing is counted.
    """
    epochs = found.choices.epochs
    start = {L: float(found.loss(tasks, "attention alone", L)[0]) for L in (*FLAT, *SHARP)}

    def told(aim: dict[float, float]) -> str:
        times = {L: first(found.loss(tasks, BLOCK, L), aim[L]) for L in aim}
        return ", ".join(
            f"{t} at L = {L:g}" if t <= epochs else f"later than {epochs} at L = {L:g}"
            for L, t in times.items()
        )

    of_start, of_one = told({L: share * x for L, x in start.items()}), told(dict.fromkeys(start, level))
    says = (
        f"epochs to the share {share:g} of the loss of uniform attention: {of_start}; to the loss "
        f"{level:g}: {of_one}"
    )
    return undecided(ENGINE, f"{tried(found)}: {says}")


@claim("LDL:Sec6.mono", open=WHICH_TIME)
def times_of_the_block(
    *, share: float = 0.2, level: float = 0.02, measured: Experiments | None = None
) -> Evidence:
    r"""In the block, at one learning rate, the loss falls sooner below a fifth of the loss of
    uniform attention, which grows like $L^2$, the larger $L$ is, within each set. To the loss
    .02 it takes longer for larger $L$.
    """
    return two_times(trained(measured, 1), "cosine", share, level)


@claim("LDL:A.poly.fast", open=WHICH_TIME)
def times_for_polynomials(
    *, share: float = 0.1, level: float = 0.005, measured: Experiments | None = None
) -> Evidence:
    r"""In the block, at one learning rate, the training loss of polynomial tasks falls sooner below
    a tenth of the loss of uniform attention, which grows like $L^2$, the larger $L$ is, within each
    set. To one loss for every $L$ it does not.
    """
    return two_times(trained(measured, 4), "polynomial", share, level)


@claim("LDL:Sec6.F1s", control=(dict(late=60),), hypotheses=("L == 1",))
def losses_of_the_sharp_block(*, late: int = 110, measured: Experiments | None = None) -> Evidence:
    r"""The block's loss at $L=1$ is the printed $.6$ at epoch 30 and $.1$ at epoch 110, up
    to a quarter, and at most $.05$ at epoch 200. The learning rate is the one of those tried with
    which it is; whether there are three phases is not tried.
    """
    found = trained(measured, 1)
    loss = found.loss("cosine", BLOCK, 1.0)
    if len(loss) <= 200:
        return undecided(ENGINE, f"only {len(loss) - 1} epochs were trained")
    again = lambda t: lambda: float(backwards(found, "cosine", 1.0, t)[t])
    cases = [
        Compared(f"epoch {t}", float(loss[t]), printed, again(t), {"L": 1})
        for t, printed in ((30, 0.6), (late, 0.1))
    ]
    compared = agree(
        ENGINE, cases, ABOUT, checked=r"\mathrm{loss}(30)\approx.6,\ \mathrm{loss}(110)\approx.1"
    )
    if compared.verdict.accepted and loss[200] > 0.05:
        witness = {"L": 1, "loss at epoch 200": float(loss[200])}
        compared = refuted_by_two_routes(ENGINE, witness, float(loss[200]), 0.05, again(200)())
    return with_choices(compared, found)


def _open(found: Experiments, says: str, holds: bool) -> Evidence:
    if holds:
        return supported(ENGINE, f"{tried(found)}: {says}")
    return undecided(ENGINE, f"not with {tried(found)}: {says}")


@claim("LDL:Sec6.F1")
def losses_of_the_flat_block(*, measured: Experiments | None = None) -> Evidence:
    r"""The block's loss at $L=.1$ is the printed 1 at epoch 40 up to a half, and $\mathrm{Attn}_1$
    at least $\frac9{10}$ at epoch 250. It passes the loss 1 in the first epochs; attention
    alone, whose squared error is at most .16 there, decides nothing about a block.
    """
    found = trained(measured, 1)
    loss, own = found.loss("cosine", BLOCK, 0.1)[:41][-1], found.attention(BLOCK, 0.1)[:251, 0, 0][-1]
    says = f"loss {loss:.2g} at epoch 40, attention {own:.2f} at epoch 250"
    return _open(found, says, 0.5 <= loss <= 1.5 and own >= 0.9)


@claim("LDL:A.maps")
def maps_of_the_block(*, measured: Experiments | None = None) -> Evidence:
    r"""In the block all diagonal attentions are at least $\frac9{10}$ at epoch 300 for $L=.1$, and
    at 200 for $L=1$. Whether this supports Propositions 2 and 3 depends on the learning rates:
    their times go like $1/(\eta L^2)$, so that at one $\eta$ the first would take a hundred times
    as long as the second.
    """
    found = trained(measured, 1)
    least = {
        L: float(found.attention(BLOCK, L)[: t + 1][-1].diagonal().min()) for L, t in ((0.1, 300), (1.0, 200))
    }
    says = (
        f"the least is {least[0.1]:.2f} at epoch 300 for L = .1, and {least[1.0]:.2f} at epoch 200 for L = 1"
    )
    return _open(found, says, min(least.values()) >= 0.9)


@claim("LDL:A.poly.two")
def polynomial_losses_have_phases(*, measured: Experiments | None = None) -> Evidence:
    r"""The loss of the block on polynomial tasks has two phases for $L=.1$ and three for $L=1$."""
    found = trained(measured, 4)
    says = []
    for L in (0.1, 1.0):
        loss = found.loss("polynomial", BLOCK, L)
        says.append(f"L = {L:g}: {', '.join(f'{x / loss[0]:.2g}' for x in loss[:161:20])}")
    return _open(found, f"shares of the first loss every 20 epochs, {'; '.join(says)}", False)
