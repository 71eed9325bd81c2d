"""The plots of Figures 1 to 4 of Li, Duan & Liang, one for each model, side by side on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from numerics.experiments.li_duan_liang.training import FLAT, MODELS, SHARP, Experiments
from proofs_check.reports.figures.boursier_boyer.captions import Key
from proofs_check.reports.figures.trained.page import Figure
from proofs_check.reports.pages.svg import Plot, dashed, figure, log_axis, stand_in
from proofs_check.reports.pages.text import slug

__all__ = ["MAP_EPOCHS", "draw"]

#: Colours of the three values of L of a set, and of the attention on the four features.
COLOURS = ("run-1", "run-2", "run-3", "run-4")
#: What the paper reads off Figure 1: epoch and loss, by L.
PRINTED = {0.1: [(40, 1.0)], 1.0: [(30, 0.6), (110, 0.1)]}
#: Epochs at which attention maps are drawn, where there are so many.
MAP_EPOCHS = (0, 40, 110, 200, 300, 400)
SETS = (("flat", FLAT), ("sharp", SHARP))


def draw(found: Experiments) -> list[Figure]:
    """The figures that were trained, in their order."""
    makers = {
        1: _losses_and_attention,
        2: lambda found: _maps(found, 2, 0.1),
        3: lambda found: _maps(found, 3, 1.0),
        4: _polynomials,
    }
    return [makers[number](found) for number in found.figures]


def _ends(curves: Sequence[Any]) -> tuple[float, float]:
    """Ends of a logarithmic axis that has room for eight decades below the highest value."""
    values = np.concatenate([np.asarray(c, dtype=float) for c in curves])
    values = values[np.isfinite(values) & (values > 0)]
    high = float(values.max(initial=1e-8))
    return max(float(values.min(initial=high)), 1e-8 * high) / 1.5, high * 1.5


def _losses(found: Experiments, tasks: str, number: int, marked: bool) -> list[tuple[str, Plot]]:
    """A plot for each model with the flat set above and the sharp set below, on axes that the
    models share.
    """
    ends = [_ends([found.loss(tasks, model, L) for model in MODELS for L in values]) for _, values in SETS]

    def of(model: str) -> Callable[..., None]:
        def panel(*axes: Any) -> None:
            for ax, (name, values), (low, high) in zip(axes, SETS, ends):
                ax.set_yscale("log")
                ax.set_ylim(low, high)
                log_axis(ax.yaxis, low, high, 5)
                for L, colour in zip(values, COLOURS):
                    ax.plot(found.loss(tasks, model, L), color=stand_in(colour))
                    for epoch, loss in PRINTED.get(L, []) if marked else []:
                        ax.plot(epoch, loss, "o", color=stand_in(colour), markerfacecolor="none", ms=6)
                ax.set_ylabel(f"loss, {name} set")
            axes[-1].set_xlabel("epoch")

        return panel

    says = f"Figure {number}: loss over the epochs, flat set of L above, sharp set below; "
    return [
        (m, figure(f"figure-{number}-loss-{slug(m)}", says + m, of(m), height=4.2, rows=(1, 1)))
        for m in MODELS
    ]


def _scores(found: Experiments, model: str) -> Plot:
    """Attention of a query of the first feature, for L = .1 above and L = 1 below."""

    def panel(*axes: Any) -> None:
        for ax, L in zip(axes, (0.1, 1.0)):
            for i, colour in enumerate(COLOURS):
                line = dashed("5 3") if i else "-"
                ax.plot(found.attention(model, L)[:, i, 0], color=stand_in(colour), linestyle=line)
            ax.set_ylim(0, 1)
            ax.set_ylabel(f"attention, L = {L:g}")
        axes[-1].set_xlabel("epoch")

    return figure(
        f"figure-1-attention-{slug(model)}",
        f"Figure 1: attention on the features; {model}",
        panel,
        height=3.6,
        rows=(1, 1),
    )


def _losses_and_attention(found: Experiments) -> Figure:
    sets = " and ".join(f"{name} {', '.join(f'{L:g}' for L in values)}" for name, values in SETS)
    keys = [Key("line", c, "", f"L = {a:g} above, {b:g} below") for c, a, b in zip(COLOURS, FLAT, SHARP)]
    keys += [Key("ring", "muted", "", "what the paper reads off, in the colour of its L")]
    keys += [
        Key("line", c, "5 3" if i else "", f"attention on feature {i + 1}") for i, c in enumerate(COLOURS)
    ]
    panels = [*_losses(found, "cosine", 1, True), *((m, _scores(found, m)) for m in MODELS)]
    caption = (
        f"Above: mean squared error of the cosine tasks, {sets}. Below: attention of a "
        "query of the first feature."
    )
    return Figure(1, "Loss and attention on cosine tasks", panels, keys, caption)


def _maps(found: Experiments, number: int, L: float) -> Figure:
    epochs = [t for t in MAP_EPOCHS if t <= found.choices.epochs]

    def of(model: str) -> Callable[..., None]:
        def panel(*axes: Any) -> None:
            for ax, t in zip(axes, epochs):
                share = found.attention(model, L)[t]
                for i, j in np.ndindex(*share.shape):
                    shade = float(np.nan_to_num(share[i, j]))
                    ax.fill(
                        [j, j + 1, j + 1, j],
                        [i, i, i + 1, i + 1],
                        color=stand_in("run-1"),
                        alpha=shade,
                        linewidth=0,
                    )
                ax.set(xlim=(0, 4), ylim=(4, 0), xticks=[], yticks=[], aspect="equal")
                ax.set_xlabel(f"{t}")
                ax.grid(False)

        return panel

    says = f"Figure {number}: attention maps at L = {L:g}, epochs {', '.join(map(str, epochs))}; "
    ones = [1.0] * len(epochs)
    panels = [
        (m, figure(f"figure-{number}-{slug(m)}", says + m, of(m), height=1.2, columns=ones)) for m in MODELS
    ]
    keys = [Key("band", "run-1", "", "full colour: attention 1; none: 0")]
    caption = (
        "Row i, column j: attention on feature i of a query of feature j, by epoch. Each column sums to 1."
    )
    return Figure(number, f"Attention maps, L = {L:g}", panels, keys, caption)


def _polynomials(found: Experiments) -> Figure:
    keys = [Key("line", c, "", f"L = {a:g} above, {b:g} below") for c, a, b in zip(COLOURS, FLAT, SHARP)]
    runs = f"{found.choices.runs} runs" if found.choices.runs > 1 else "one run"
    caption = (
        f"Mean squared error of the polynomial tasks on the {found.choices.prompts} prompts of training, "
        f"mean of {runs}."
    )
    return Figure(4, "Loss on polynomial tasks", _losses(found, "polynomial", 4, False), keys, caption)
