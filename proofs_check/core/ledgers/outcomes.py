"""What a ledger says of each row of a paper, and of the paper: the one rule that decides a row's
verdict, the one sentence that counts what is false, and the one that says which results stand.
Every document and the terminal read them here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numerics.evidence import Verdict
from proofs_check.core.instead import NOT_EXECUTED
from proofs_check.core.ledgers.coverage import NOT_SETTLED, least_parts, row_verdict
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.losses import CHANGED, LOST, STANDS, Result, listed, results
from proofs_check.core.severity import by_severity, counted
from proofs_check.papers.statements import Row, is_own, paper, rows

__all__ = ["NOT_SETTLED", "Account", "Outcome", "account", "outcomes"]

Entry = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a ledger says of one row."""

    row: Row
    #: The entries of the row's claims.
    claims: tuple[Entry, ...]
    #: Of the row as printed, by `proofs_check.core.ledgers.coverage.row_verdict`.
    verdict: str
    #: The refuted entries, the gravest first, those that inherit the error of another one last.
    errors: tuple[Entry, ...]
    #: The claim of the paper whose error the row inherits, where all its errors are inherited and
    #: that one is in the ledger; else empty.
    follows: str
    #: The verdict of the statement with its repairs in place.
    held: str
    #: The weakest link of the statement, with its repairs in place and all that it needs.
    chain: str

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def severity(self) -> str:
        """Of the gravest error that the row does not inherit, or of the gravest; empty if there is
        none.
        """
        return str(self.errors[0]["severity"] or "not declared") if self.errors else ""

    @property
    def weakest(self) -> str:
        """Under ARGUED: the weakest part that was executed; else empty."""
        parts = [
            c["evidence"]["weakest"]
            for c in least_parts(self.claims)
            if c["verdict"] == self.verdict == "ARGUED"
        ]
        return str(min((Verdict(p) for p in parts if p), key=lambda v: v.strength, default=""))

    @property
    def repaired(self) -> bool:
        """Whether every error of the row has a repair that was accepted; False without errors."""
        return bool(self.errors) and all(
            e["repair"] and Verdict(e["repair"]["verdict"]).accepted for e in self.errors
        )

    @property
    def stands(self) -> bool:
        """Whether the statement, with its repairs in place, and all that it needs is accepted."""
        return self.chain != NOT_SETTLED and Verdict(self.chain).accepted


def outcomes(document: Mapping[str, Any] | Ledger) -> dict[str, Outcome]:
    """What a ledger, read or of the run just made, says of every row of every paper, by id in
    printed order. Rows that only an older list of statements has come last.
    """
    ledger = document if isinstance(document, Ledger) else Ledger(document["claims"])
    return {id: _outcome(id, claims, ledger) for id, claims in _by_row(ledger).items()}


def _by_row(ledger: Ledger) -> dict[str, list[Entry]]:
    of_row: dict[str, list[Entry]] = {id: [] for id in rows()}
    for e in ledger.entries.values():
        of_row.setdefault(e["covers"], []).append(e)
    return of_row


def _outcome(id: str, claims: list[Entry], ledger: Ledger) -> Outcome:
    own = [e for e in claims if e["verdict"] == "REFUTED"]
    own.sort(key=lambda e: (bool(e["follows"]), by_severity(e), e["id"]))
    head = ledger.entries.get(ledger.first_error(own[0]["id"])) if own and own[0]["follows"] else None
    told = (
        head is not None
        and head["verdict"] == "REFUTED"
        and not head["follows"]
        and head["paper"] == own[0]["paper"]
    )
    main = least_parts(claims)
    weaker = lambda verdicts: str(min(verdicts, key=lambda v: v.strength, default=NOT_SETTLED))
    return Outcome(
        row=_row(id, claims),
        claims=tuple(claims),
        verdict=row_verdict(claims),
        errors=tuple(own),
        follows=head["id"] if head and told else "",
        held=weaker([Verdict((e["repair"] or e)["verdict"]) for e in main]),
        chain=weaker([ledger.chain(e["id"]) for e in main]),
    )


def _row(id: str, claims: list[Entry]) -> Row:
    """The row as it was judged, even if the list of statements has been mended since."""
    known = rows().get(id)
    if not claims:
        return rows()[id]
    e = claims[0]
    then = {
        "where": e["where"],
        "kind": e["kind"],
        "says": e["says"],
        "printed": e["printed"],
        "reading": e.get("reading", ""),
    }
    if known is None:
        return Row(id=id, paper=e["paper"], version="", **then)
    return Row(**{**vars(known), **then})


@dataclass(frozen=True, kw_only=True)
class Account:
    """What a ledger says of one paper."""

    key: str
    title: str
    #: In printed order.
    rows: tuple[Outcome, ...]
    #: What they were read from.
    ledger: Ledger

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The numbered results and the main ones, in printed order."""
        return results(self.rows, self.ledger)

    @property
    def false(self) -> tuple[Outcome, ...]:
        """The rows that are false as printed by an error of their own, those that fail in their own
        regime first, then in the order of the paper.
        """
        found = [o for o in self.rows if o.errors and not o.follows]
        return tuple(sorted(found, key=lambda o: o.severity != "false"))

    @property
    def following(self) -> tuple[Outcome, ...]:
        """The rows that only inherit an error of the paper."""
        return tuple(o for o in self.rows if o.follows)

    def copies(self, outcome: Outcome) -> tuple[Outcome, ...]:
        """The rows that inherit an error of a row, and have none of their own."""
        ids = {e["id"] for e in outcome.errors}
        return tuple(o for o in self.following if o.follows in ids)

    @property
    def sentence(self) -> str:
        """The count of what is false as printed, each independent error once, in one sentence, the
        same wherever it is told.
        """
        false = (*self.false, *self.following)
        unsettled = sum(o.verdict in (Verdict.OPEN, NOT_SETTLED) for o in self.rows)
        rest = f"; {unsettled} {'is' if unsettled == 1 else 'are'} not settled." if unsettled else "."
        if not false:
            return f"None of {len(self.rows)} rows was found to be false as printed{rest}"
        kinds = counted([(o.severity, bool(o.follows)) for o in false])
        left = sum(not o.repaired for o in false)
        repaired = (
            f"for {left} of them what is true instead was {NOT_EXECUTED}"
            if left
            else "what is true instead was executed for each"
        )
        return f"{kinds} among {len(self.rows)} rows as printed; {repaired}{rest}"

    @property
    def losses(self) -> str:
        """Which results stand, in one sentence, the same wherever it is told."""
        of = {
            standing: [r for r in self.results if r.standing == standing]
            for standing in (STANDS, CHANGED, LOST)
        }
        count = lambda found: f"{len(found) or 'none'} {'stand' if len(found) > 1 else 'stands'}"
        titles = lambda found: listed(r.title for r in found)
        parts = [f"{count(of[STANDS])} as printed"]
        if changed := of[CHANGED]:
            parts.append(f"{count(changed)} with a change ({titles(changed)})")
        if lost := of[LOST]:
            parts.append(f"{len(lost)} {'is' if len(lost) == 1 else 'are'} {LOST} ({titles(lost)})")
        text = (
            f"Of {len(self.results)} {'main' if is_own(self.key) else 'numbered'} results {'; '.join(parts)}."
        )
        standing = [*of[STANDS], *of[CHANGED]]
        wrong, tried = sum(bool(r.proof) for r in standing), sum(not r.proved for r in standing)
        notes = [f"the printed proof has an error for {wrong}"] * bool(wrong)
        notes += [f"{tried} {'is' if tried == 1 else 'are'} supported by instances only"] * bool(tried)
        return f"{text} Of those that stand {' and '.join(notes)}." if notes else text

    @property
    def headline(self) -> tuple[Result, ...]:
        """The main results, in printed order."""
        return tuple(r for r in self.results if r.main)


def account(document: Mapping[str, Any] | Ledger, key: str) -> Account:
    """What a ledger, read or of the run just made, says of one paper; a KeyError if there is no
    such paper.
    """
    title = paper(key)["title"]
    ledger = document if isinstance(document, Ledger) else Ledger(document["claims"])
    paper_of = lambda id, claims: rows()[id].paper if id in rows() else claims[0]["paper"]
    mine = tuple(
        _outcome(id, claims, ledger) for id, claims in _by_row(ledger).items() if paper_of(id, claims) == key
    )
    return Account(key=key, title=title, rows=mine, ledger=ledger)
