"""Plots of curves with their keys, for a page of lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from proofs_check.reports.pages.svg import Plot, dashed, figure, log_axis, stand_in

__all__ = ["DOTS", "Curve", "Picture", "picture"]

#: The dashes of what is drawn as dots without a line.
DOTS = "dots"


class Curve(NamedTuple):
    """A curve with its entry in the key; of the dashes `DOTS` only its points are drawn."""

    text: str
    colour: str
    dashes: str
    points: Sequence[tuple[float, float]]


class Picture(NamedTuple):
    """A plot with its heading, what it shows, and its curves."""

    plot: Plot
    heading: str
    says: str
    curves: Sequence[Curve]


def picture(
    name: str,
    heading: str,
    says: str,
    curves: Sequence[Curve],
    label: str,
    *,
    logarithmic: tuple[bool, bool] = (True, True),
    room: float = 2.0,
) -> Picture:
    """Curves on two axes, `logarithmic` or not; those of few points have marks, those without any
    are left out. `room` is the factor by which a logarithmic vertical axis goes beyond the points
    on both sides.
    """
    curves = [curve for curve in curves if curve.points]
    x, y = ([point[i] for curve in curves for point in curve.points] for i in (0, 1))

    def lines(ax: Any) -> None:
        for curve in curves:
            style = "" if curve.dashes == DOTS else dashed(curve.dashes)
            mark = "o" if len(curve.points) <= 16 else ""
            ax.plot(
                *zip(*sorted(curve.points)),
                color=stand_in(curve.colour),
                linestyle=style,
                marker=mark,
                ms=3.2,
            )
        if logarithmic[0]:
            ax.set_xscale("log")
            log_axis(ax.xaxis, min(x), max(x))
            ax.set_xlim(min(x) / 1.2, max(x) * 1.2)
        if logarithmic[1]:
            ax.set_yscale("log")
            log_axis(ax.yaxis, min(y), max(y))
            ax.set_ylim(min(y) / room, max(y) * room)
        ax.set_xlabel(label)

    return Picture(figure(name, f"{heading}. {says}", lines, height=3.1), heading, says, curves)
