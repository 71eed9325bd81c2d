"""The verdict of a row from those of its claims, and how far the provers reach in a paper: the
share of its identities and inequalities that are decided by execution alone, the share that also
counts what a human sentence joins, the share of its numbered statements that are executed, and the
reasons that claims give for the others. The least shares, and how many rows may be open, stand in
the paper's ``statements.toml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numerics.evidence import Verdict
from proofs_check.papers.statements import paper, papers, place, rows, states

__all__ = ["EXACT", "EXECUTED", "NOT_SETTLED", "Coverage", "coverage", "least_parts", "row_verdict", "stated"]

#: The verdict of a row that no claim states and in which no error was found.
NOT_SETTLED = "not settled"
#: Kinds of rows that a prover should decide: identities, and inequalities over a domain.
EXACT = ("SYM", "INT")
EXECUTED = ("PROVED", "CERTIFIED", "REFUTED")


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The exact rows of one paper, by the verdict of their main claim, and its open rows of any
    kind.
    """

    paper: str
    #: Rows of the kinds `EXACT` that are decided by execution alone.
    executed: tuple[str, ...]
    #: Those that need an argument.
    argued: tuple[str, ...]
    supported: tuple[str, ...]
    #: Those that are none of these, by `row_verdict`.
    unsettled: tuple[str, ...]
    #: Claims of those rows that state them, are SUPPORTED, and say neither why no prover reaches
    #: them nor of which part of them one does.
    unexplained: tuple[str, ...]
    #: Numbered statements of which every row is PROVED or CERTIFIED, as repaired where false, and
    #: the others.
    numbered: tuple[str, ...]
    unfinished: tuple[str, ...]
    #: Rows of any kind with an OPEN claim.
    open: tuple[str, ...]
    #: Rows of any kind that no property test tries and that do not say why.
    untried: tuple[str, ...]
    #: Rows that say why no property test tries them, although one does.
    excused: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many exact rows the paper has."""
        return len(self.executed) + len(self.argued) + len(self.supported) + len(self.unsettled)

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of exact rows that are decided by execution alone, and decided at all, with
        arguments; 1 where there are none.
        """
        executed, argued = len(self.executed), len(self.argued)
        return (executed / self.rows, (executed + argued) / self.rows) if self.rows else (1.0, 1.0)

    @property
    def numbered_share(self) -> float:
        """The share of numbered statements that are executed; 1 where there are none."""
        numbered = len(self.numbered) + len(self.unfinished)
        return len(self.numbered) / numbered if numbered else 1.0

    @property
    def line(self) -> str:
        """The counts in one line of text."""
        executed, decided = self.shares
        out = (
            f"{self.paper}: of {self.rows} SYM and INT rows {len(self.executed)} are decided by execution "
            f"alone ({executed:.0%})"
        )
        out += f", {len(self.executed) + len(self.argued)} with arguments ({decided:.0%})"
        out += (
            f", {len(self.supported)} only supported, {len(self.unsettled)} not settled; {len(self.open)} "
            "rows open"
        )
        if numbered := len(self.numbered) + len(self.unfinished):
            out += (
                f"; of {numbered} numbered statements {len(self.numbered)} are executed, as repaired where "
                f"false ({self.numbered_share:.0%})"
            )
        if self.unexplained:
            out += f"; supported without saying why no prover reaches them: {', '.join(self.unexplained)}"
        return out

    def broken(self) -> list[str]:
        """The rules that the paper's claims break: the least shares of ``[paper.rules]`` in its
        ``statements.toml``, every other row explained, and few rows open.
        """
        out, rules = (
            [],
            {"executed": 0.0, "decided": 0.0, "numbered": 0.0, "open": len(self.open)}
            | paper(self.paper).get("rules", {}),
        )
        least = (rules["executed"], rules["decided"])
        for word, share, at_least in zip(("decided by execution alone", "decided"), self.shares, least):
            if share < at_least:
                out.append(
                    f"{self.paper}: {share:.1%} of the SYM and INT rows are {word}, not {at_least:.0%}"
                )
        if out:
            out.append(
                f"{self.paper}: not decided are {', '.join((*self.supported, *self.unsettled)) or 'none'}"
            )
        if self.numbered_share < rules["numbered"]:
            out.append(
                f"{self.paper}: {self.numbered_share:.1%} of the numbered statements are executed, not "
                f"{rules['numbered']:.0%}; left are {', '.join(self.unfinished)}"
            )
        if self.unexplained:
            out.append(
                f"{self.paper}: say with unproved= why no prover reaches {', '.join(self.unexplained)}"
            )
        if self.untried:
            out.append(
                f"{self.paper}: no property test tries {', '.join(self.untried)}; hand the statement "
                "on, or say no_property"
            )
        if self.excused:
            out.append(f"{self.paper}: a property test tries {', '.join(self.excused)}; drop no_property")
        if len(self.open) > rules["open"]:
            out.append(
                f"{self.paper}: {len(self.open)} rows are open, at most {rules['open']} may be: "
                f"{', '.join(self.open)}"
            )
        return out


def stated(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of the claims of one row, those that state it: the one named like the row, else every part;
    never what its proof infers.

    >>> whole, step = ({"id": id, "covers": "BB:X"} for id in ("BB:X", "BB:X/step"))
    >>> [c["id"] for c in stated([whole, step])]
    ['BB:X']
    """
    parts = [c for c in claims if not c["id"].endswith("/inference")]
    return [c for c in parts if c["id"] == c["covers"]] or parts


def least_parts(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of the claims of one row, those of which the weakest decides: all parts, never what its proof
    infers. A part that is refuted beside the whole statement is an error of its own, and the whole
    tells what is left.

    >>> found = {"BB:X": "PROVED", "BB:X/constant": "SUPPORTED", "BB:X/step": "REFUTED"}
    >>> row = [{"id": id, "covers": "BB:X", "verdict": verdict} for id, verdict in found.items()]
    >>> [c["id"] for c in least_parts(row)]
    ['BB:X', 'BB:X/constant']
    """
    known = list(claims)
    whole = stated(known)
    beside = [c for c in known if c not in whole and not c["id"].endswith("/inference")]
    return [*whole, *(c for c in beside if c["verdict"] != Verdict.REFUTED)]


def row_verdict(claims: Iterable[Mapping[str, Any]]) -> str:
    """The verdict of a row from its claims as printed: REFUTED if any claim is, what the proof
    infers included; else OPEN, which settles nothing, if any is; else that of the weakest of its
    parts.
    """
    known = list(claims)
    found = {c["verdict"] for c in known}
    for whole in (Verdict.REFUTED, Verdict.OPEN):
        if whole in found:
            return str(whole)
    return str(
        min(
            (Verdict(c["verdict"]) for c in least_parts(known)), key=lambda v: v.strength, default=NOT_SETTLED
        )
    )


def coverage(claims: Iterable[Mapping[str, Any]], key: str) -> Coverage:
    """Count the rows of one paper among the entries of a ledger; a KeyError says that there is no
    such paper.
    """
    if key not in papers():
        raise KeyError(f"no paper has the key {key!r}; there are {', '.join(papers())}")
    of_row: dict[str, list[Mapping[str, Any]]] = {id: [] for id, r in rows().items() if r.paper == key}
    for c in claims:
        if c["covers"] in of_row:
            of_row[c["covers"]].append(c)
    tried = {
        id: any(_tried((c["repair"] or c)["evidence"]) for c in stated(parts))
        for id, parts in of_row.items()
        if parts
    }
    open_ = [id for id, parts in of_row.items() if any(c["verdict"] == "OPEN" for c in parts)]
    executed: list[str] = []
    argued: list[str] = []
    supported: list[str] = []
    unsettled, unexplained = [], []
    for id in (id for id in of_row if rows()[id].kind in EXACT):
        main = stated(of_row[id])
        unexplained += [
            c["id"]
            for c in main
            if c["verdict"] == "SUPPORTED" and not (c["unproved"] + c["fragment"]).strip()
        ]
        if not main or row_verdict(of_row[id]) in (Verdict.OPEN, NOT_SETTLED):
            unsettled.append(id)
            continue
        weakest = str(min((Verdict(c["verdict"]) for c in main), key=lambda v: v.strength))
        (executed if weakest in EXECUTED else argued if weakest == "ARGUED" else supported).append(id)
    whole: dict[str, bool] = {}
    for id, parts in of_row.items():
        if states(rows()[id]):
            name = place(rows()[id])[1]
            found = [(c["repair"] or c)["verdict"] for c in stated(parts)]
            whole[name] = whole.get(name, True) and bool(found) and set(found) <= {"PROVED", "CERTIFIED"}
    return Coverage(
        paper=key,
        numbered=tuple(name for name, done in whole.items() if done),
        unfinished=tuple(name for name, done in whole.items() if not done),
        executed=tuple(executed),
        argued=tuple(argued),
        supported=tuple(supported),
        unsettled=tuple(unsettled),
        unexplained=tuple(unexplained),
        open=tuple(open_),
        untried=tuple(id for id, seen in tried.items() if not seen and not rows()[id].no_property.strip()),
        excused=tuple(id for id, seen in tried.items() if seen and rows()[id].no_property.strip()),
    )


def _tried(evidence: Mapping[str, Any]) -> bool:
    """Whether a statement has a property test, or would have one if Hypothesis were installed."""
    return any(route["engine"] == "property test" for route in evidence["routes"])
