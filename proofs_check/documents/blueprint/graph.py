"""Draws the graph of needs as SVG, with every statement above those that need it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from proofs_check.documents.blueprint.document import LETTERS, RowPage, Site, Statement, anchor
from proofs_check.documents.blueprint.layout import Layout, layered

__all__ = ["all_statements", "apart", "neighbourhood", "svg", "v_class"]

Edge = tuple[str, str, bool]


@dataclass(frozen=True)
class Box:
    """A node: what it says, where it leads, and its marks as (verdict, text)."""

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
        return max(8.0 * len(self.title) + 22, sum(_mark_width(text) + 3 for _, text in self.marks) + 13, 74.0), 50.0


def _statement(s: Statement, *, outside: bool = False) -> Box:
    marks = [(v, f"{LETTERS[v]}{n}") for v, n in s.counts.items()]
    said = ", ".join(f"{n} {v.lower()}" for v, n in s.counts.items())
    title = s.title if not outside or s.paper == "BB" else f"{s.paper} {s.title}"
    return Box(
        id=s.id,
        href=anchor(s.id),
        title=title,
        hover=f"{s.paper}: {s.title} ({s.section}): {len(s.rows)} rows, {said}",
        marks=marks,
        outside=outside,
        warns="REFUTED" in s.counts or any(r.false_parts for r in s.rows),
        dashed=set(s.counts) == {"not settled"},
    )


def _row(page: RowPage) -> Box:
    marks = [(page.verdict, LETTERS[page.verdict])]
    if page.repaired:
        marks += [("", "→"), (page.repaired, LETTERS[page.repaired])]
    if page.false_parts:
        marks += [("", "+"), ("REFUTED", "R")]
    said = page.verdict + (f", {page.repaired} as repaired" if page.repaired else "")
    return Box(
        id=page.id,
        href=anchor(page.id),
        title=page.id.split(":", 1)[1],
        hover=f"{page.id}: {said}. {page.row.says}",
        marks=marks,
        warns=page.verdict == "REFUTED" or bool(page.false_parts),
        dashed=page.verdict == "not settled",
    )


def all_statements(site: Site, paper: str | None = None) -> str:
    """Every numbered statement, of one paper or of all; empty if there is no edge."""
    chosen = [s for s in site.statements.values() if paper in (None, s.paper)]
    name = {page.id: s.id for s in chosen for page in s.rows}
    edges = site.lifted(name)
    joined = {n for u, v, _ in edges for n in (u, v)}
    boxes = [_statement(s) for s in chosen if s.id in joined]
    label = "What needs what, among the numbered statements" + (f" of {paper}" if paper else "")
    return svg(boxes, edges, label, widest=1020) if boxes else ""


def apart(site: Site, paper: str | None = None) -> list[Statement]:
    """The statements that no edge joins to another."""
    name = {page.id: page.statement.id for page in site.rows.values()}
    joined = {n for u, v, _ in site.lifted(name) for n in (u, v)}
    return [s for s in site.statements.values() if s.id not in joined and paper in (None, s.paper)]


def neighbourhood(site: Site, inner: Sequence[RowPage], label: str) -> str:
    """Rows with all that they need and that needs them, the rest of the papers gathered into
    statements.
    """
    own = {p.id for p in inner}
    name = {page.id: page.id if page.id in own else page.statement.id for page in site.rows.values()}
    edges = [e for e in site.lifted(name) if e[0] in own or e[1] in own]
    near = {n for u, v, _ in edges for n in (u, v)}
    boxes = [_row(p) for p in inner] + [_statement(s, outside=True) for s in site.statements.values() if s.id in near]
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
        f'<svg class="graph" role="group" aria-label="{escape(label)}" viewBox="{-pad} {-pad} {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"><g class="edges">{lines}</g><g class="nodes">{nodes}</g></svg>'
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
    total = sum(_mark_width(text) + 3 for _, text in box.marks) - 3
    at, marks = centre[0] - total / 2, ""
    for verdict, text in box.marks:
        wide = _mark_width(text)
        if verdict:
            marks += f'<rect class="{v_class(verdict)}" x="{at:.1f}" y="{y + 27:.1f}" width="{wide:.1f}" height="16" rx="3"/>'
        tone = "mark" if verdict else "plain"
        marks += f'<text class="{tone}" x="{at + wide / 2:.1f}" y="{y + 39:.1f}">{escape(text)}</text>'
        at += wide + 3
    return (
        f'<a href="{escape(box.href)}" class="{classes}" data-node="{escape(box.id)}"><title>{escape(box.hover)}</title>'
        f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7"/>'
        f'<text x="{centre[0]:.1f}" y="{y + 19:.1f}">{escape(box.title)}</text>{marks}</a>'
    )


def _mark_width(text: str) -> float:
    return 8.0 if text in "→+" else 9.0 + 7.0 * len(text)


def v_class(verdict: str) -> str:
    """The class of a verdict's colour.

    Examples
    --------
    >>> v_class("not settled")
    'v-not-settled'
    """
    return "v-" + verdict.lower().replace(" ", "-")
