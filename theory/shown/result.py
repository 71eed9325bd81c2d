"""What every result inherits so that it shows itself: `Shown` gives lines in a terminal and a table
in Jupyter, `Drawn` a plot as well; `in_a_line` and `in_a_table` are for what results are made of.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, ClassVar
from xml.etree.ElementTree import tostring

from theory.shown.colours import COLOURS
from theory.shown.formulas import FORMULA, LatexError, marked, tree

__all__ = ["FEW", "Drawn", "Shown", "brief", "few", "in_a_line", "in_a_table", "mathml", "page", "words"]

#: Arrays with more numbers than this are shown by their number and range, tables with more lines by
#: their first and last ones.
FEW = 4


def brief(value: Any) -> str:
    """A value in a few words: an array by its shape, and by its numbers or their range."""
    np = sys.modules.get("numpy")  # who only reads a ledger need not load it
    if np is not None and isinstance(value, np.ndarray) and value.ndim:
        if value.ndim > 1 or value.dtype.kind not in "iuf":
            return " x ".join(map(str, value.shape)) + (" array" if value.ndim > 1 else " values")
        if len(value) <= FEW:
            return "[" + ", ".join(f"{x:.6g}" for x in value) + "]"
        known = value[np.isfinite(value)]
        missing = f", {len(value) - len(known)} of them not finite" if len(known) < len(value) else ""
        return (
            f"{len(value)} values"
            + (f" from {known.min():.6g} to {known.max():.6g}" if len(known) else "")
            + missing
        )
    if isinstance(value, float) or (np is not None and isinstance(value, np.floating | np.ndarray)):
        return f"{value:.6g}"
    if isinstance(value, Mapping) or (isinstance(value, tuple | list) and len(value) > FEW):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(brief, value)) + ")"
    return type(value).__name__ if dataclasses.is_dataclass(value) else repr(value)


def _fields(self: Any) -> list[tuple[str, str]]:
    """The fields of a dataclass or a named tuple, each in a few words; what is None, or a function,
    is left out.
    """
    names = self._fields if hasattr(self, "_fields") else [f.name for f in dataclasses.fields(self) if f.repr]
    fields = {name: getattr(self, name) for name in names}
    return [(name, brief(x)) for name, x in fields.items() if x is not None and not callable(x)]


def in_a_line(self: Any) -> str:
    """The name of a class and its fields. Dataclasses and named tuples take it as their
    ``__repr__``.
    """
    return f"{type(self).__name__}({', '.join(f'{name}={said}' for name, said in _fields(self))})"


def in_a_table(self: Any) -> str:
    """The same as a table for Jupyter, or in a line what has no fields. Results take it as their
    ``_repr_html_``.
    """
    if not (dataclasses.is_dataclass(self) or hasattr(self, "_fields")):
        return page(repr(self), [])
    return page(type(self).__name__, [], _fields(self))


def few(lines: Sequence[list[str]]) -> list[list[str]]:
    """The lines of a table, or its first and last ones where it is long."""
    if len(lines) <= FEW + 1:
        return list(lines)
    return [*lines[: FEW // 2], ["..."] * len(lines[0]), *lines[-(FEW // 2) :]]


def mathml(latex: str) -> str:
    """A formula as MathML; one that cannot be read is shown as it was written."""
    try:
        return f"<math>{''.join(tostring(e, encoding='unicode') for e in tree(latex))}</math>"
    except LatexError:
        return f"<code>{escape(latex)}</code>"


def words(text: str) -> str:
    """Words as HTML, with the formulas between dollars typeset."""
    out, end = [], 0
    for found in FORMULA.finditer(text):
        out += [escape(text[end : found.start()]), mathml(found["inline"] or found["block"])]
        end = found.end()
    return "".join([*out, escape(text[end:])])


class Shown:
    """A result that shows itself: as text in a terminal, and as a short page in Jupyter.

    A subclass says what it is in `heading`, and the rest in `rows` and `table`; rows named in
    `FORMULAS` are LaTeX, and everywhere else a formula stands between dollars.
    """

    __slots__ = ()
    FORMULAS: ClassVar[frozenset[str]] = frozenset()

    def heading(self) -> str:
        """What it is, with its size, in half a sentence."""
        return ""

    def rows(self) -> list[tuple[str, str]]:
        """What it says, as (name, text)."""
        return []

    def table(self) -> list[list[str]]:
        """Its numbers under a head, or nothing."""
        return []

    def __str__(self) -> str:
        table = self.table()
        widths = [max(map(len, column)) for column in zip(*table)]
        lines = ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in table]
        longest = max((len(name) for name, _ in self.rows()), default=0)
        return "\n".join(
            filter(None, [self.heading(), *lines, *(f"  {n:<{longest}}  {text}" for n, text in self.rows())])
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return page(self.heading(), self.table(), self.rows(), self.FORMULAS)


def page(
    heading: str,
    table: list[list[str]],
    rows: Sequence[tuple[str, str]] = (),
    formulas: frozenset[str] = frozenset(),
) -> str:
    """A result as HTML: heading, table under its head, and rows, of which some are formulas."""
    row = lambda cells, tag: "<tr>" + "".join(f"<{tag}>{words(cell)}</{tag}>" for cell in cells) + "</tr>"
    head, *body = table or [[]]
    numbers = f"<table>{row(head, 'th')}{''.join(row(cells, 'td') for cells in body)}</table>" if head else ""
    said = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">'
        f"{mathml(text) if name in formulas else words(marked(text))}</td></tr>"
        for name, text in rows
    )
    title = f"<p>{words(heading)}</p>" if heading else ""
    return title + numbers + (f"<table>{said}</table>" if said else "")


class Drawn(Shown):
    """A result that also draws itself, by the method `_draw` of its class."""

    __slots__ = ()

    def plot(self, ax: Any = None) -> Any:
        """Draw it with Matplotlib, which is imported here and not before, on ``ax`` or a new
        figure; returns the axes.
        """
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=(5.5, 3.6), layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color=COLOURS["grid"], linewidth=0.6)
        ax.set_axisbelow(True)
        self._draw(ax)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(frameon=False, fontsize="small")
        return ax

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} does not say how it is drawn; give it a method _draw(ax)"
        )

    @staticmethod
    def _curves(ax: Any, x: Any, curves: Iterable[tuple[str, Any, Any, str]]) -> None:
        """Curves over logarithmic axes, as (name, values, standard errors or None, colour); what is
        not positive cannot be seen there and is left out.
        """
        import numpy as np

        for name, y, error, colour in curves:
            seen = np.isfinite(y) & (y > 0)
            off = None if error is None else np.where(np.isfinite(error), error, 0)[seen]
            ax.errorbar(
                x[seen],
                y[seen],
                yerr=off,
                color=COLOURS[colour],
                marker="o",
                markersize=3,
                linewidth=1.4,
                label=name,
            )
        ax.set_xscale("log")
        ax.set_yscale("log")
