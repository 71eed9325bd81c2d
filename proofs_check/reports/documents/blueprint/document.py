"""What the blueprint shows, before it is drawn: papers, sections, statements, rows and claims, and
what needs what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from numerics.evidence import Verdict
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import NOT_SETTLED, Account, Outcome, account, outcomes
from proofs_check.papers.statements import is_own, papers, place
from proofs_check.reports.documents.status import GROUPS

__all__ = ["KINDS", "LETTERS", "Site", "Statement", "anchor", "named"]

#: The letter of each verdict, so that no colour is needed to read it; the last one is for rows that
#: no claim settles.
LETTERS: Mapping[str, str] = {**{str(v): v[0] for v in Verdict}, NOT_SETTLED: "–"}


#: What the kinds of rows are called.
KINDS: Mapping[str, str] = {
    "SYM": "identity",
    "INT": "inequality",
    "PROB": "probabilistic bound",
    "ASY": "asymptotic statement",
    "NUM": "experiment",
    "LOGIC": "step of a proof",
    "cited": "cited theorem",
}


def anchor(id: str) -> str:
    """The fragment of a link to an id."""
    return "#" + quote(id, safe=":/.-_~()+,")


def named(title: str, paper: str) -> str:
    """The name of a statement; ours say so, since they stand beside those of the papers.

    >>> named("Lemma C.1", "BB"), named("R1", "OURS")
    ('Lemma C.1', 'R1 (ours)')
    """
    return f"{title} (ours)" if is_own(paper) else title


def _by_verdict(rows: Iterable[Outcome]) -> dict[str, int]:
    """How many rows have which verdict as printed, in the order of the letters."""
    found = Counter(o.verdict for o in rows)
    return {v: found[v] for v in LETTERS if found[v]}


@dataclass
class Statement:
    """A numbered statement, or a section's displays that belong to none, with its rows."""

    paper: str
    section: str
    title: str
    rows: list[Outcome] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.paper}/{self.title.replace(' ', '-')}"

    @property
    def name(self) -> str:
        return named(self.title, self.paper)

    @property
    def counts(self) -> dict[str, int]:
        return _by_verdict(self.rows)


class Site:
    """Everything a page needs to know of a ledger."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        unknown = {
            "date": "",
            "code": "",
            "python": "",
            "versions": {},
            "error": 0.0,
            "faults": [],
            "partial": False,
            "seconds": 0.0,
        }
        self.run = {**unknown, **document["run"]}
        self.claims: dict[str, dict[str, Any]] = {c["id"]: c for c in document["claims"]}
        self.ledger = Ledger(document["claims"])
        self.rows = outcomes(self.ledger)
        self.statements: dict[str, Statement] = {}
        self.statement_of: dict[str, Statement] = {}
        for outcome in self.rows.values():
            made = Statement(outcome.row.paper, *place(outcome.row))
            self.statement_of[outcome.id] = statement = self.statements.setdefault(made.id, made)
            statement.rows.append(outcome)
        titles = papers()
        self.papers = {s.paper: titles.get(s.paper, s.paper) for s in self.statements.values()}

    @property
    def judged(self) -> str:
        """When the claims were judged, and by which version; empty if the ledger does not say."""
        if not self.run["date"]:
            return ""
        version = self.run["versions"].get("largeprompt")
        code = f" (code {self.run['code']})" if self.run["code"] else ""
        return (
            f"judged on {self.run['date'][:10]}" + (f" with largeprompt {version}" if version else "") + code
        )

    @cached_property
    def accounts(self) -> list[Account]:
        """What is false in each paper, and its main results."""
        return [account(self.ledger, key) for key in papers()]

    def counts(self, paper: str) -> dict[str, tuple[int, dict[str, int]]]:
        """Rows of a paper, and how many have which verdict, assumptions, citations and experiments
        apart.
        """
        apart = {kind: group for group, kinds in GROUPS.items() for kind in kinds}
        gathered: dict[str, list[Outcome]] = {group: [] for group in GROUPS}
        for o in self.rows.values():
            if o.row.paper == paper:
                gathered[apart.get(o.row.kind, "statements")].append(o)
        return {group: (len(found), _by_verdict(found)) for group, found in gathered.items() if found}

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
        for o in self.rows.values():
            for c in o.claims:
                for need in c["needs"]:
                    if self.row_of(need) in self.rows and self.row_of(need) != o.id:
                        out[self.row_of(need), o.id] = True
            for use in o.row.uses:
                if use in self.rows and use != o.id:
                    out.setdefault((use, o.id), False)
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

    def weakest(self) -> list[tuple[dict[str, Any], str, str]]:
        """Claims that hold but do not stand: (claim, the need to blame, what is wrong with it)."""
        out = []
        for c in self.claims.values():
            held = (c["repair"] or c)["verdict"]
            if c["stands"] or held in ("REFUTED", "OPEN"):
                continue
            need, link = self.ledger.weakest_link(c["id"])
            why = str(link) if need in self.claims or need in self.ledger.elsewhere else "not settled"
            out.append((c, need, why))
        return out

    def unsettled(self, paper: str) -> list[Outcome]:
        """The rows of a paper that are open, or that no claim settles."""
        return [o for o in self.rows.values() if o.verdict in ("OPEN", NOT_SETTLED) and o.row.paper == paper]

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

    def _parts(self, row: str) -> list[Mapping[str, Any]]:
        outcome = self.rows.get(row)
        return [c for c in outcome.claims if not c["id"].endswith("/inference")] if outcome else []
