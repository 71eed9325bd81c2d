"""The plots of the figures of Collins et al., with their keys, captions and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from numerics.attention.window.loss import window_loss
from numerics.experiments.collins.exact import linear_attention_loss, loss_at, minimiser
from numerics.experiments.collins.settings import (
    CONTEXTS,
    LINEAR,
    N_5,
    NAMED,
    PRETRAINED,
    RATES,
    READINGS,
    SIGMA,
    Curve,
    D,
    L,
    N,
)
from numerics.experiments.collins.training import Experiments, Floats, Trained
from proofs_check.reports.figures.boursier_boyer.captions import Key
from proofs_check.reports.figures.trained.page import Figure, Table
from proofs_check.reports.pages.svg import Plot, dashed, figure, log_axis, stand_in
from proofs_check.reports.pages.text import slug
from theory.attention.window.classes import affine

__all__ = ["draw"]

COLOURS = ("run-1", "run-2", "run-3", "run-4", "run-5", "run-6")
EXACT, OTHER = "1.5 2", "5 3"
#: Widths at which Figures 2 and 7 are computed, for affine tasks.
WIDTHS = np.geomspace(0.05, 500, 90)
Panel = tuple[str, Plot]


def draw(found: Experiments) -> list[Figure]:
    """The figures that were asked for, in their order."""
    makers = {
        1: _contexts,
        2: _tradeoff,
        3: _slopes,
        4: _noise_and_length,
        5: _pairings,
        7: _bounds,
        9: _subspaces,
    }
    return [makers[number](found) for number in found.figures]


def _shown(name: str) -> str:
    """The name of a panel or curve with the letters of the paper."""
    letters = {
        r"\bnu\b": "ν",
        r"\bsigma\b": "σ",
        r"\bangle\b": "θ",
        r"\^2": "²",
        r"a'B'x": "aᵀBᵀx",
        r" - ": " − ",
    }
    for pattern, letter in letters.items():
        name = re.sub(pattern, letter, name)
    return name


def _scaled(ax: Any, axis: str, values: Sequence[Any], ticks: int = 5) -> None:
    """A logarithmic axis around some values, with labels between decades where there are few."""
    flat = np.concatenate([np.ravel(np.asarray(v, dtype=float)) for v in values])
    flat = flat[np.isfinite(flat) & (flat > 0)]
    low, high = float(flat.min(initial=1.0)) / 1.3, float(flat.max(initial=1e-9)) * 1.3
    getattr(ax, f"set_{axis}scale")("log")
    getattr(ax, f"set_{axis}lim")(low, high)
    log_axis(getattr(ax, f"{axis}axis"), low, high, ticks)
    if high / low < 100:
        steps = [m * 10.0**e for e in range(-9, 9) for m in (1, 2, 5)]
        inside = [x for x in steps if low <= x <= high]
        getattr(ax, f"set_{axis}ticks")(inside, [f"{x:.3g}" for x in inside])


def _steps_axis(ax: Any, last: float) -> None:
    """An axis of steps with four labels, the last one at the end."""
    ax.set_xticks([last * i / 4 for i in range(5)])
    ax.set_xlabel("step")


def _band(ax: Any, steps: Floats, values: Floats, colour: str, dashes: str = "") -> None:
    """The mean of trials, and one standard deviation on either side."""
    mean, spread = values.mean(axis=0), values.std(axis=0)
    ax.plot(steps, mean, color=stand_in(colour), linestyle=dashed(dashes))
    ax.fill_between(steps, mean - spread, mean + spread, color=stand_in(colour), alpha=0.2, linewidth=0)


def _told(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "diverged"


def _ends(values: Floats) -> str:
    """The mean over the trials at the end."""
    return _told(float(values[:, -1].mean()))


def _drawn(panel: str, number: int, says: str, plot: Callable[..., None], **sizes: Any) -> Plot:
    """The plot of a panel, with a text for readers who do not see it."""
    return figure(f"figure-{number}-{slug(panel)}", f"Figure {number}: {says}; {panel}", plot, **sizes)


def _lines(*keys: tuple[str, str, str]) -> list[Key]:
    """Keys from colours, dashes and texts."""
    return [Key("line", *key) for key in keys]


# Figure 1


def _final(found: Experiments, panel: str, model: str, best: bool) -> list[float]:
    """The loss at the end over the lengths, at the named rate or at the best one."""
    out = []
    for n in CONTEXTS:
        name = f"{model}, n = {n}"
        rate = found.best_rate(1, panel, name) if best else NAMED[1]
        out.append(found.curves[Curve(1, panel, name, rate)].final)
    return out


def _first_of(panel: str) -> tuple[str, float]:
    """The task and nu of a panel of Figure 1."""
    reading, nu = panel.split(", nu = ")
    return READINGS[reading], float(nu)


def _contexts(found: Experiments) -> Figure:
    sigma, rows, panels = found.choices.noise, [], []
    for panel in found.names(1):
        task, nu = _first_of(panel)
        least = [minimiser(task, 2, n, nu, sigma) for n in CONTEXTS]
        linear = [linear_attention_loss(task, 2, n, nu, sigma) for n in CONTEXTS]
        curves = {
            m: (_final(found, panel, m, False), _final(found, panel, m, True)) for m in ("softmax", LINEAR)
        }
        exact = {
            "softmax": [e.loss if e else np.nan for e in least],
            LINEAR: [np.nan if x is None else x for x in linear],
        }

        def plot(ax: Any, curves: Any = curves, exact: Any = exact) -> None:
            for colour, (model, (named, best)) in zip(COLOURS, curves.items()):
                ax.plot(CONTEXTS, named, color=stand_in(colour), marker="o", ms=3)
                ax.plot(CONTEXTS, best, color=stand_in(colour), linestyle=dashed(OTHER))
                ax.plot(CONTEXTS, exact[model], color=stand_in(colour), linestyle=dashed(EXACT))
            _scaled(ax, "x", [CONTEXTS])
            _scaled(ax, "y", [*(v for pair in curves.values() for v in pair), *exact.values()])
            ax.set_xlabel("labelled tokens n")
            ax.set_ylabel("loss")

        panels.append((_shown(panel), _drawn(panel, 1, "loss over n", plot, height=2.6)))
        for i in (1, 4):
            cells = [x for m in ("softmax", LINEAR) for x in (curves[m][0][i], curves[m][1][i], exact[m][i])]
            told = ("not known" if np.isnan(x) else _told(x) for x in cells)
            rows.append([_shown(f"{panel}, n = {CONTEXTS[i]}"), *told])
    keys = _lines(
        ("run-1", "", "softmax"),
        ("run-2", "", LINEAR),
        ("muted", OTHER, "at the best rate of the grid"),
        ("muted", EXACT, "exact minimum"),
    )
    ends = (f", rate {NAMED[1]:g}", ", best rate", ", exact")
    head = ["class", *(f"{m}{end}" for m in ("softmax", "linear") for end in ends)]
    caption = (
        "Mean loss over the last tenth of the 15000 steps, against n, on the circle, with noise of standard "
        f"deviation {sigma:g}. As printed ν = 0 has the task 0 alone. For ν = 1.5 the tasks cos(νθ − b) jump "
        "at one point, and no exact minimum is known."
    )
    return Figure(
        1, "Error of both attentions as the tasks grow steeper", panels, keys, caption, Table(head, rows)
    )


# Figures 2 and 7


def _parts(n: int) -> Any:
    return window_loss(affine(L), D, n, WIDTHS, SIGMA_7**2)


#: Figures 2 and 7 name no noise; with this the minimum of affine tasks is well inside the range.
SIGMA_7 = 0.3
LENGTHS_2 = (2, 20, 200)


def _tradeoff(found: Experiments) -> Figure:
    def plot(ax: Any) -> None:
        parts = [_parts(n) for n in LENGTHS_2]
        for colour, part in zip(COLOURS, parts):
            ax.plot(WIDTHS, part.signal, color=stand_in(colour))
            ax.plot(WIDTHS, part.noise, color=stand_in(colour), linestyle=dashed(OTHER))
        _scaled(ax, "x", [WIDTHS])
        _scaled(ax, "y", [x for part in parts for x in (part.signal, part.noise)])
        ax.set_xlabel("w, which is one over the squared width of the window")
        ax.set_ylabel("loss")

    keys = _lines(
        *((c, "", f"n = {n}") for c, n in zip(COLOURS, LENGTHS_2)),
        ("muted", "", "signal term"),
        ("muted", OTHER, f"noise term, for σ = {SIGMA_7:g}"),
    )
    drawn = figure("figure-2", "Figure 2: signal and noise over w", plot, height=3.0)
    panels = [("affine tasks, L = 1, d = 5", drawn)]
    caption = (
        "Exact parts of the loss, from the identity R13. The signal term is the squared bias of the expected "
        "estimate, which falls as the window shrinks, and the variance by the tokens; for few tokens it "
        "rises again."
    )
    return Figure(2, "Signal and noise as the window shrinks", panels, keys, caption)


def _bounds(found: Experiments) -> Figure:
    part = _parts(N_5)
    least = float(part.loss.min())
    inside = WIDTHS[(part.signal < least) & (part.noise < least)]

    def plot(ax: Any) -> None:
        for values, colour in ((part.signal, "run-1"), (part.noise, "run-2"), (part.loss, "ink")):
            ax.plot(WIDTHS, values, color=stand_in(colour))
        ax.axhline(least, color=stand_in("muted"), linestyle=dashed(OTHER), linewidth=1)
        for w in (inside[0], inside[-1]):
            ax.axvline(w, color=stand_in("muted"), linestyle=dashed(EXACT), linewidth=1)
        _scaled(ax, "x", [WIDTHS])
        _scaled(ax, "y", [part.signal, part.noise, part.loss])
        ax.set_xlabel("w")
        ax.set_ylabel("loss")

    keys = _lines(
        ("run-1", "", "signal term"),
        ("run-2", "", "noise term"),
        ("ink", "", "loss"),
        ("muted", OTHER, "least loss"),
        ("muted", EXACT, "where the signal, or the noise, alone is the least loss"),
    )
    drawn = figure("figure-7", "Figure 7: loss over w", plot, height=3.0)
    panels = [(f"affine tasks, L = 1, d = 5, n = {N_5}", drawn)]
    best = WIDTHS[part.loss.argmin()]
    caption = (
        f"Exact, for σ = {SIGMA_7:g}: the best w is between {inside[0]:.3g} and "
        f"{inside[-1]:.3g}, at {best:.3g}."
    )
    return Figure(7, "Where the best width can be", panels, keys, caption)


# Figures 3 and 4


def _norms(found: Experiments, number: int, title: str, exact: Callable[[str, str], float | None]) -> Figure:
    """The spectral norms of a figure: a panel for each name of its panels."""
    panels, rows, keys = [], [], []
    for panel, names in found.names(number).items():

        def plot(ax: Any, panel: str = panel, names: list[str] = names) -> None:
            for colour, name in zip(COLOURS, names):
                shown = found.shown(number, panel, name)
                _band(ax, shown.steps, shown.norm, colour)
                if (level := exact(panel, name)) is not None:
                    ax.axhline(level, color=stand_in(colour), linestyle=dashed(EXACT), linewidth=1)
            ax.set_ylim(bottom=0)
            _steps_axis(ax, shown.steps[-1])
            ax.set_ylabel("norm of M")

        panels.append((_shown(panel), _drawn(panel, number, "norm of M", plot, height=2.6)))
        kind = panel.split(", ")[1]
        keys += _lines(*((c, "", _shown(f"{kind}: {name}")) for c, name in zip(COLOURS, names)))
        for name in names:
            level = exact(panel, name)
            ends = [_ends(found.curves[Curve(number, panel, name, rate)].norm) for rate in RATES]
            rows.append([_shown(f"{panel}, {name}"), *ends, "not known" if level is None else _told(level)])
    keys = list(dict.fromkeys(k if number == 4 else k._replace(text=k.text.split(": ")[1]) for k in keys))
    keys.append(Key("line", "muted", EXACT, "exact minimiser 2w*"))
    head = ["norm of M at the end", *(f"rate {rate:g}" for rate in RATES), "exact minimiser"]
    caption = (
        f"Mean of {found.choices.trials} trials and one standard deviation, at the rate {NAMED[number]:g} "
        "that the paper names, with decay 0.999. The table has the other rates of its grid."
    )
    return Figure(number, title, panels, keys, caption, Table(head, rows))


def _number(name: str) -> float:
    return float(name.split(" = ")[1])


def _slopes(found: Experiments) -> Figure:
    def exact(panel: str, name: str) -> float | None:
        task, covariates = panel.split(", ")
        known = minimiser(task.lower(), D, N, _number(name), SIGMA) if covariates == "uniform" else None
        return known.norm if known else None

    return _norms(found, 3, "The norm of M for several L", exact)


def _noise_and_length(found: Experiments) -> Figure:
    def exact(panel: str, name: str) -> float | None:
        task, kind = panel.split(", ")
        n, sigma = (N, _number(name)) if kind == "noise" else (int(_number(name)), SIGMA)
        known = minimiser(task.lower(), D, n, L, sigma)
        return known.norm if known else None

    return _norms(found, 4, "The norm of M for several noises and lengths", exact)


# Figure 5


def _pairings(found: Experiments) -> Figure:
    names = list(PRETRAINED)
    ends = {name: found.shown(5, "test error", name) for name in names}
    panels: list[Panel] = []
    for i, test in enumerate(names[:3]):
        for trained in [names[:3], names] if test.startswith("cosine") else [names[:3]]:

            def plot(ax: Any, i: int = i, trained: list[str] = trained) -> None:
                for name in trained:
                    _band(ax, ends[name].steps, ends[name].tested[i], COLOURS[names.index(name)])
                _scaled(ax, "y", [ends[name].tested[i].mean(axis=0) for name in trained])
                _steps_axis(ax, ends[trained[0]].steps[-1])
                ax.set_ylabel("error")

            title = f"tested on {test}" + ", other L too" * (len(trained) > 3)
            panels.append((title, figure(f"figure-5-{slug(title)}", f"Figure 5: {title}", plot, height=2.6)))
    best = {name: minimiser(task, D, N_5, slope, SIGMA) for name, (task, slope) in PRETRAINED.items()}
    rows = []
    for name, least in best.items():
        assert least is not None
        exact = [
            loss_at(task, D, N_5, slope, SIGMA, least.norm / 2)
            for task, slope in list(PRETRAINED.values())[:3]
        ]
        rows.append([name, *(f"{_ends(ends[name].tested[i])} ({_told(x)})" for i, x in enumerate(exact))])
    keys = _lines(*((c, "", f"trained on {name}") for c, name in zip(COLOURS, names)))
    trials = f"mean of {found.choices.trials} trials and one standard deviation"
    caption = f"Error on 500 tasks, {trials}. In brackets: exact, at the minimiser."
    table = Table(["trained on", *(f"error on {t}" for t in names[:3])], rows)
    return Figure(5, "Error on tasks other than those of training", panels, keys, caption, table)


# Figure 9


def _subspaces(found: Experiments) -> Figure:
    panels, rows = [], []
    for panel, names in found.names(9).items():

        def plot(*axes: Any, panel: str = panel, names: list[str] = names) -> None:
            drawn: list[tuple[Trained, str, str]] = [
                (found.shown(9, panel, name), c, "") for name, c in zip(names, COLOURS)
            ]
            drawn.append((found.curves[Curve(9, panel, "softmax", RATES[0])], COLOURS[0], OTHER))
            for row, ax in enumerate(axes):
                lines = [
                    (t.steps, np.median(t.rho if row == 0 else t.tested[0], axis=0), c, line)
                    for t, c, line in drawn
                ]
                for steps, values, colour, line in lines:
                    ax.plot(steps, values, color=stand_in(colour), linestyle=dashed(line))
                _scaled(ax, "y", [values for _, values, _, _ in lines])
                ax.set_ylabel("error" if row else "ρ")
            axes[0].axhline(1, color=stand_in("muted"), linestyle=dashed(EXACT), linewidth=1)
            _steps_axis(axes[-1], drawn[0][0].steps[-1])

        panels.append((panel, _drawn(panel, 9, "rho and error", plot, height=3.6, rows=(1, 1))))
        for name in names:
            runs = [found.curves[Curve(9, panel, name, rate)] for rate in RATES]
            cells = [f"{_told(float(np.median(t.rho[:, -1])))}, {_ends(t.tested[0])}" for t in runs]
            rows.append([_shown(f"{panel}, {name}"), *cells])
    keys = _lines(
        ("run-1", "", "softmax, best rate"),
        ("run-1", OTHER, f"softmax, rate {RATES[0]:g}"),
        ("run-2", "", f"{LINEAR}, best rate"),
        ("muted", EXACT, "ρ of the identity"),
    )
    caption = (
        "Above: what M has beyond the columns of B, over its least singular value on them; below: error on "
        f"500 tasks. Medians of {-(-found.choices.trials // 2)} trials."
    )
    head = ["ρ, error at the end", *(f"rate {rate:g}" for rate in RATES)]
    return Figure(
        9, "Tasks of low rank: what is learned of their subspace", panels, keys, caption, Table(head, rows)
    )
