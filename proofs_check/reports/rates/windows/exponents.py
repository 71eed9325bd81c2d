"""The exponents of Lambda in the best width, with their local slopes, beside the printed ones."""

from __future__ import annotations

from typing import NamedTuple

from proofs_check.reports.rates.lines.slopes import Exponent, exponent
from proofs_check.reports.rates.windows.widths import AFFINE, FAR_FROM, RELU, Table, sharp_exponent

__all__ = ["PRINTED_EXPONENTS", "Fit", "fits"]

#: The least and the largest exponent that Theorem 3.4 leaves, by class and dimension.
PRINTED_EXPONENTS = {
    AFFINE.name: lambda d: (1 / (d + 4), 2 / (d + 2)),
    RELU.name: lambda d: (1 / (d + 2), 2 / (d + 2)),
}


class Fit(NamedTuple):
    """A fitted exponent of a class in a dimension, for n = oo."""

    tasks: str
    d: int
    #: The exponent from Lambda = 10^7 on.
    fit: Exponent
    #: The local slope between the two largest values of Lambda.
    last: float
    #: The ends of Theorem 3.4, of its two classes.
    printed: tuple[float, float] | None
    #: The exponent of Section 3.1, of affine tasks.
    sketch: float | None
    ours: float


def fits(table: Table) -> list[Fit]:
    """The fitted exponents; a class without a window at three values of Lambda has none.

    >>> from proofs_check.reports.rates.windows.widths import width_table
    >>> found = fits(width_table([3]))[0]
    >>> round(found.fit.value, 4), found.printed[1], round(found.ours, 4)
    (0.3333, 0.4, 0.3333)
    """
    found = []
    for tasks, d in dict.fromkeys((row.tasks, row.d) for row in table.far):
        points = [
            (row.Lambda, row.w)
            for row in table.far
            if (row.tasks, row.d) == (tasks, d) and row.Lambda >= FAR_FROM and row.w > 0
        ]
        if len(points) < 3:
            continue
        x, y = zip(*points)
        ends = PRINTED_EXPONENTS[tasks](d) if tasks in PRINTED_EXPONENTS else None
        sketch = 2 / (d + 4) if tasks == AFFINE.name else None
        found.append(
            Fit(
                tasks,
                d,
                exponent(x, y),
                exponent(x[-2:], y[-2:]).value,
                ends,
                sketch,
                sharp_exponent(tasks, d),
            )
        )
    return found
