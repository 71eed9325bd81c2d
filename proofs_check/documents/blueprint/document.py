"""What the blueprint shows, before it is drawn: papers, sections, statements, rows and claims, and
what needs what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from numerics.evidence import Verdict
from proofs_check.core.coverage import stated
from proofs_check.core.ledger import Ledger
from proofs_check.core.severity import by_severity
from proofs_check.core.statements import Row, papers, place, rows

__all__ = ["LETTERS", "RowPage", "Site", "Statement", "anchor"]

#: The mark of each verdict, so that no colour is needed to read it; the last one is for rows that
#: no claim settles.
LETTERS: Mapping[str, str] = {**{str(v): v[0] for v in Verdict}, "not settled": "–"}


def anchor(id: str) -> str:
    """The fragment of a link to an id."""
    return "#" + quote(id, safe=":/.-_~()+,")


@dataclass
class RowPage:
    """One row and its claims."""

    row: Row
    claims: list[dict[str, Any]] = field(default_factory=list)
    statement: Statement = field(init=False)
    settled: bool = True

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def verdict(self) -> str:
        """Of the claim that states the row itself; without one, the weakest of its parts."""
        if not self.claims:
            return "not settled"
        return str(min((Verdict(c["verdict"]) for c in stated(self.claims) or self.claims), key=lambda v: v.strength))

    @property
    def repaired(self) -> str:
        """The verdict after repair, if the row is refuted and repaired."""
        own = [c for c in self.claims if c["verdict"] == "REFUTED" and c["repair"]]
        return str(own[0]["repair"]["verdict"]) if own and self.verdict == "REFUTED" else ""

    @property
    def false_parts(self) -> list[str]:
        """Refuted parts of a row that is not refuted itself."""
        return [c["id"] for c in self.claims if c["verdict"] == "REFUTED"] if self.verdict != "REFUTED" else []


@dataclass
class Statement:
    """A numbered statement, or a section's displays that belong to none, with its rows."""

    paper: str
    section: str
    title: str
    rows: list[RowPage] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.paper}/{self.title.replace(' ', '-')}"

    @property
    def counts(self) -> dict[str, int]:
        """Rows by verdict, strongest first."""
        found = Counter(r.verdict for r in self.rows)
        return {v: found[v] for v in LETTERS if found[v]}


class Site:
    """Everything a page needs to know.

    Parameters
    ----------
    document : Mapping
        A ledger as `proofs_check.core.files.read_ledger` returns it.

    Examples
    --------
    >>> site = Site({"run": {}, "claims": [], "unsettled": ["BB:LC.1"]})
    >>> site.rows["BB:LC.1"].verdict, site.rows["BB:LC.1"].statement.title
    ('not settled', 'Lemma C.1')
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        unknown = {"date": "", "python": "", "versions": {}, "error": 0.0, "faults": [], "partial": False, "seconds": 0.0}
        self.run = {**unknown, **document["run"]}
        self.claims: dict[str, dict[str, Any]] = {c["id"]: c for c in document["claims"]}
        self.ledger = Ledger(document["claims"])
        self.rows = {id: RowPage(row) for id, row in rows().items()}
        for c in document["claims"]:
            page = self.rows.setdefault(c["covers"], RowPage(_row_of(c)))
            # What was judged is what stood in the list then, even if the list has been mended
            # since.
            page.row = replace(page.row, where=c["where"], kind=c["kind"], says=c["says"], printed=c["printed"])
            page.claims.append(c)
        for id in document["unsettled"]:
            if id in self.rows:
                self.rows[id].settled = False
        self.statements: dict[str, Statement] = {}
        for page in self.rows.values():
            section, title = place(page.row)
            made = Statement(page.row.paper, section, title)
            page.statement = self.statements.setdefault(made.id, made)
            page.statement.rows.append(page)
        titles = papers()
        self.papers = {s.paper: titles.get(s.paper, s.paper) for s in self.statements.values()}

    def sections(self, paper: str) -> dict[str, list[Statement]]:
        """The statements of a paper by section, in printed order."""
        out: dict[str, list[Statement]] = {}
        for s in self.statements.values():
            if s.paper == paper:
                out.setdefault(s.section, []).append(s)
        return out

    def has(self, id: str) -> bool:
        return id in self.claims or id in self.rows

    def row_of(self, id: str) -> str:
        return id.split("/", 1)[0]

    def used_by(self, id: str) -> list[str]:
        """The claims that rest on a claim, or on a row, by its own name or by that of its row."""
        return self.ledger.users(id)

    @cached_property
    def edges(self) -> list[tuple[str, str, bool]]:
        """From row to row: (needed, needs it, executed); what only the paper's own proof says is
        not executed.
        """
        out: dict[tuple[str, str], bool] = {}
        for page in self.rows.values():
            for c in page.claims:
                for need in c["needs"]:
                    if self.row_of(need) in self.rows and self.row_of(need) != page.id:
                        out[self.row_of(need), page.id] = True
            for use in page.row.uses:
                if use in self.rows and use != page.id:
                    out.setdefault((use, page.id), False)
        return [(u, v, executed) for (u, v), executed in out.items()]

    def lifted(self, name: Mapping[str, str]) -> list[tuple[str, str, bool]]:
        """The same edges between whatever the rows are gathered into; a row that has no name is
        left out.
        """
        out: dict[tuple[str, str], bool] = {}
        for u, v, executed in self.edges:
            if u in name and v in name and name[u] != name[v]:
                out[name[u], name[v]] = out.get((name[u], name[v]), False) or executed
        return [(u, v, executed) for (u, v), executed in out.items()]

    def errata(self) -> list[dict[str, Any]]:
        """Refuted claims, the gravest first."""
        return sorted((c for c in self.claims.values() if c["verdict"] == "REFUTED"), key=by_severity)

    def weakest(self) -> list[tuple[dict[str, Any], str, str]]:
        """Claims that hold but do not stand: (claim, the need to blame, what is wrong with it)."""
        out = []
        for c in self.claims.values():
            held = (c["repair"] or c)["verdict"]
            if c["stands"] or held in ("REFUTED", "OPEN"):
                continue
            need, link = self.ledger.weakest_link(c["id"])
            why = str(link) if need in self.claims else "not settled"
            out.append((c, need, why))
        return out

    def unsettled(self, paper: str) -> list[RowPage]:
        return [p for p in self.rows.values() if not p.settled and p.row.paper == paper]

    def losses(self, id: str) -> list[tuple[str, float]]:
        """What the steps of a row's proof give away at the reference instance; nothing to show for
        a single bound.
        """
        found = self.ledger.losses(id)
        return found if len(found) > 1 else []

    def depth(self, id: str) -> dict[str, int]:
        """How deep each of a row's `losses` lies among the others, on the way on which it is met
        first.
        """
        listed = {step for step, _ in self.losses(id)}
        found: dict[str, int] = {}
        seen: set[str] = set()

        def visit(name: str, at: int) -> None:
            for step in [name] if name in self.claims else [c["id"] for c in self._parts(name)]:
                if step not in seen:
                    seen.add(step)
                    if step in listed:
                        found[step] = at
                    for need in self.claims[step]["needs"]:
                        visit(need, at + (step in listed))

        visit(id, 0)
        return found

    def _parts(self, row: str) -> list[dict[str, Any]]:
        page = self.rows.get(row)
        return [c for c in page.claims if not c["id"].endswith("/inference")] if page else []

    def counts(self) -> dict[str, Counter[str]]:
        return self.ledger.counts()


def _row_of(claim: Mapping[str, Any]) -> Row:
    return Row(
        id=claim["covers"],
        paper=claim["paper"],
        version="",
        where=claim["where"],
        kind=claim["kind"],
        says=claim["says"],
        printed=claim["printed"],
    )
