"""Draws the graph of needs as SVG, with every statement above those that need it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from numerics.terminal.mathematics import as_unicode
from proofs_check.core.ledgers.outcomes import NOT_SETTLED, Outcome
from proofs_check.reports.documents.blueprint.document import LETTERS, Site, Statement, anchor, named
from proofs_check.reports.documents.blueprint.layout import Layout, layered

__all__ = ["Href", "all_statements", "apart", "neighbourhood", "svg", "v_class"]

Edge = tuple[str, str, bool]
#: Where a link to an id leads.
Href = Callable[[str], str]
#: Width of the dot that carries the letter of a verdict.
DOT = 16.0


@dataclass(frozen=True)
class Box:
    """A node: what it says, where it leads, and its marks: (verdict, what follows the dot)."""

    id: str
    href: str
    title: str
    hover: str
    marks: Sequence[tuple[str, str]]
    outside: bool = False
    warns: bool = False
    dashed: bool = False

    @property
    def size(self) -> tuple[float, float]:
        return max(7.8 * len(self.title) + 18, sum(map(_mark_width, self.marks)) + 14, 74.0), 50.0


def _statement(s: Statement, href: Href, *, outside: bool = False) -> Box:
    said = ", ".join(f"{n} {v.lower()}" for v, n in s.counts.items())
    return Box(
        id=s.id,
        href=href(s.id),
        title=s.name,
        hover=f"{s.paper}: {s.name} ({s.section}): {len(s.rows)} rows, {said}",
        marks=[(v, f"×{n}") for v, n in s.counts.items()],
        outside=outside,
        warns="REFUTED" in s.counts,
        dashed=set(s.counts) == {NOT_SETTLED},
    )


def _row(o: Outcome, href: Href) -> Box:
    marks, said = [(o.verdict, "")], o.verdict
    if o.verdict == "REFUTED" and o.repaired:
        marks = [(o.verdict, "→"), (o.held, "")]
        said += f", {o.held} as repaired"
    return Box(
        id=o.id,
        href=href(o.id),
        title=named(o.id.split(":", 1)[1], o.row.paper),
        hover=f"{o.id}: {said}. {as_unicode(o.row.says)}",
        marks=marks,
        warns=o.verdict == "REFUTED",
        dashed=o.verdict == NOT_SETTLED,
    )


def all_statements(site: Site, paper: str | None = None, href: Href = anchor) -> str:
    """Every numbered statement, of one paper or of all; empty if there is no edge."""
    chosen = [s for s in site.statements.values() if paper in (None, s.paper)]
    name = {o.id: s.id for s in chosen for o in s.rows}
    edges = site.lifted(name)
    joined = {n for u, v, _ in edges for n in (u, v)}
    boxes = [_statement(s, href) for s in chosen if s.id in joined]
    label = "What needs what, among the numbered statements" + (f" of {paper}" if paper else "")
    return svg(boxes, edges, label, widest=1020) if boxes else ""


def apart(site: Site, paper: str | None = None) -> list[Statement]:
    """The statements that no edge joins to another."""
    name = {id: s.id for id, s in site.statement_of.items()}
    joined = {n for u, v, _ in site.lifted(name) for n in (u, v)}
    return [s for s in site.statements.values() if s.id not in joined and paper in (None, s.paper)]


def neighbourhood(site: Site, inner: Sequence[Outcome], label: str, href: Href = anchor) -> str:
    """Rows with all that they need and that needs them, the rest of the papers gathered into
    statements.
    """
    own = {o.id for o in inner}
    name = {id: id if id in own else s.id for id, s in site.statement_of.items()}
    edges = [e for e in site.lifted(name) if e[0] in own or e[1] in own]
    near = {n for u, v, _ in edges for n in (u, v)}
    boxes = [_row(o, href) for o in inner] + [
        _statement(s, href, outside=True) for s in site.statements.values() if s.id in near
    ]
    return svg(boxes, edges, label, widest=860) if edges else ""


def svg(boxes: Sequence[Box], edges: Iterable[Edge], label: str, *, widest: float) -> str:
    """Boxes and the edges between them."""
    drawn = list(edges)
    layout = layered({b.id: b.size for b in boxes}, [(u, v) for u, v, _ in drawn], widest=widest)
    pad = 8
    width, height = layout.width + 2 * pad, layout.height + 2 * pad
    lines = "".join(_edge(layout, e) for e in drawn)
    nodes = "".join(_node(b, layout.centres[b.id]) for b in boxes)
    return (
        f'<svg class="graph" role="group" aria-label="{escape(label)}" viewBox="{-pad} {-pad} '
        f'{width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"><g class="edges">{lines}</g><g '
        f'class="nodes">{nodes}</g></svg>'
    )


def _edge(layout: Layout, edge: Edge) -> str:
    u, v, executed = edge
    points = layout.routes[u, v]
    upwards = points[0][1] > points[-1][1]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        path += f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
    x, y = points[-1]
    tip = 5 if upwards else -5
    path += f"M{x - 3.5:.1f} {y + tip:.1f}L{x:.1f} {y:.1f}L{x + 3.5:.1f} {y + tip:.1f}"
    style = "" if executed else ' class="said"'
    return f'<path{style} data-from="{escape(u)}" data-to="{escape(v)}" d="{path}"/>'


def _node(box: Box, centre: tuple[float, float]) -> str:
    width, height = box.size
    x, y = centre[0] - width / 2, centre[1] - height / 2
    classes = "node" + " outside" * box.outside + " warns" * box.warns + " dashed" * box.dashed
    at, marks = centre[0] - sum(map(_mark_width, box.marks)) / 2, ""
    for verdict, text in box.marks:
        marks += (
            f'<circle class="{v_class(verdict)}" cx="{at + DOT / 2 + 2:.1f}" cy="{y + 35:.1f}" '
            f'r="{DOT / 2:.1f}"/>'
        )
        marks += f'<text class="letter" x="{at + DOT / 2 + 2:.1f}" y="{y + 39:.1f}">{LETTERS[verdict]}</text>'
        if text:
            marks += f'<text class="plain" x="{at + DOT + 4:.1f}" y="{y + 39:.1f}">{escape(text)}</text>'
        at += _mark_width((verdict, text))
    return (
        f'<a href="{escape(box.href)}" class="{classes}" '
        f'data-node="{escape(box.id)}"><title>{escape(box.hover)}</title>'
        f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7"/>'
        f'<text x="{centre[0]:.1f}" y="{y + 19:.1f}">{escape(box.title)}</text>{marks}</a>'
    )


def _mark_width(mark: tuple[str, str]) -> float:
    """Of a dot and of what stands behind it, with a space on either side."""
    return DOT + 6 + 8.5 * len(mark[1])


def v_class(verdict: str) -> str:
    """The class of a verdict's colour.

    >>> v_class("not settled")
    'v-not-settled'
    """
    return "v-" + verdict.lower().replace(" ", "-")
