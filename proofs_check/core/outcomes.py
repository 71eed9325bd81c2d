"""What a ledger says of each row of a paper, and of the paper: the one rule that decides a row's
verdict, the one sentence that counts what is false, and the table of the main results. Every
document and the terminal read them here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numerics.evidence import Verdict
from proofs_check.core.coverage import NOT_SETTLED, row_verdict, stated
from proofs_check.core.ledger import Ledger
from proofs_check.core.severity import by_severity, counted, in_words
from proofs_check.papers.statements import Row, paper, place, rows

__all__ = ["NOT_SETTLED", "Account", "Headline", "Outcome", "account", "first_sentence", "outcomes"]

Entry = Mapping[str, Any]
_SENTENCE = re.compile(r"(?:[^$.]|\$[^$]*\$|\.(?!\s+[A-Z$]))*\.?")


def first_sentence(text: str) -> str:
    """The first sentence of a text in which formulas stand between dollars.

    Examples
    --------
    >>> first_sentence("Put $d$ for $x. Y$. The rest is long.")
    'Put $d$ for $x. Y$.'
    """
    found = _SENTENCE.match(text)
    return found.group() if found else text


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a ledger says of one row.

    Attributes
    ----------
    row : Row
    claims : tuple of dict
        The entries of the row's claims.
    verdict : str
        Of the row as printed, by `proofs_check.core.coverage.row_verdict`.
    errors : tuple of dict
        The refuted entries, the gravest first, those that inherit the error of another one last.
    follows : str
        The claim of the paper whose error the row inherits, where all its errors are inherited and
        that one is in the ledger; else empty.
    held : str
        The verdict of the statement with its repairs in place.
    chain : str
        The weakest link of the statement, with its repairs in place and all that it needs.
    falls : bool
        Whether the row rests on an error whose repair was not accepted, or that has none.
    """

    row: Row
    claims: tuple[Entry, ...]
    verdict: str
    errors: tuple[Entry, ...]
    follows: str
    held: str
    chain: str
    falls: bool

    @property
    def id(self) -> str:
        """That of the row."""
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
        parts = [c["evidence"]["weakest"] for c in stated(self.claims) if c["verdict"] == self.verdict == "ARGUED"]
        return str(min((Verdict(p) for p in parts if p), key=lambda v: v.strength, default=""))

    @property
    def repaired(self) -> bool:
        """Whether every error of the row has a repair that was accepted; False without errors."""
        return bool(self.errors) and all(e["repair"] and Verdict(e["repair"]["verdict"]).accepted for e in self.errors)

    @property
    def stands(self) -> bool:
        """Whether the statement, with its repairs in place, and all that it needs is accepted."""
        return self.chain != NOT_SETTLED and Verdict(self.chain).accepted


def outcomes(document: Mapping[str, Any] | Ledger) -> dict[str, Outcome]:
    """What a ledger says of every row of every paper, in printed order.

    Parameters
    ----------
    document : Mapping or Ledger
        A ledger as `proofs_check.core.files.read_ledger` returns it, or of the run just made.

    Returns
    -------
    dict
        By the id of the row. Rows that only an older list of statements has come last.

    Examples
    --------
    >>> outcomes({"claims": []})["BB:LC.1"].verdict
    'not settled'
    """
    ledger = document if isinstance(document, Ledger) else Ledger(document["claims"])
    of_row: dict[str, list[Entry]] = {id: [] for id in rows()}
    for e in ledger.entries.values():
        of_row.setdefault(e["covers"], []).append(e)
    return {id: _outcome(id, claims, ledger) for id, claims in of_row.items()}


def _outcome(id: str, claims: list[Entry], ledger: Ledger) -> Outcome:
    own = [e for e in claims if e["verdict"] == "REFUTED"]
    own.sort(key=lambda e: (bool(e["follows"]), by_severity(e), e["id"]))
    head = ledger.entries.get(ledger.first_error(own[0]["id"])) if own and own[0]["follows"] else None
    told = head is not None and head["verdict"] == "REFUTED" and not head["follows"] and head["paper"] == own[0]["paper"]
    main = stated(claims)
    weaker = lambda verdicts: str(min(verdicts, key=lambda v: v.strength, default=NOT_SETTLED))
    return Outcome(
        row=_row(id, claims),
        claims=tuple(claims),
        verdict=row_verdict(claims),
        errors=tuple(own),
        follows=head["id"] if head and told else "",
        held=weaker([Verdict((e["repair"] or e)["verdict"]) for e in main]),
        chain=weaker([ledger.chain(e["id"]) for e in main]),
        falls=any(ledger.unmended(step) for e in claims for step in ledger.steps(e["id"])),
    )


def _row(id: str, claims: list[Entry]) -> Row:
    """The row as it was judged, even if the list of statements has been mended since."""
    known = rows().get(id)
    if not claims:
        return rows()[id]
    e = claims[0]
    then = {"where": e["where"], "kind": e["kind"], "says": e["says"], "printed": e["printed"], "reading": e.get("reading", "")}
    if known is None:
        return Row(id=id, paper=e["paper"], version="", **then)
    return Row(**{**vars(known), **then})


@dataclass(frozen=True, kw_only=True)
class Headline:
    """One main result of a paper in a line.

    Attributes
    ----------
    title : str
        ``"Proposition 3.1"``.
    ids : tuple of str
        Its rows.
    verdict : str
        As printed; REFUTED if a row is.
    printed : str
        How it stands as printed, in words.
    change : str
        What to add or change, as prose with LaTeX between dollars; empty if nothing.
    evidence : str
        How strong the evidence for the statement is, its changes made: the weakest link of all that
        it rests on.
    """

    title: str
    ids: tuple[str, ...]
    verdict: str
    printed: str
    change: str
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Account:
    """What a ledger says of one paper.

    Attributes
    ----------
    key, title : str
        Of the paper.
    rows : tuple of Outcome
        In printed order.
    """

    key: str
    title: str
    rows: tuple[Outcome, ...]

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
    def falls(self) -> tuple[str, ...]:
        """Numbered statements, or places, that rest on an error which no accepted repair mends."""
        return tuple(dict.fromkeys(place(o.row)[1] for o in self.rows if o.falls))

    @property
    def sentence(self) -> str:
        """The count of what is false as printed, in one sentence, the same wherever it is told."""
        false = (*self.false, *self.following)
        unsettled = sum(o.verdict in (Verdict.OPEN, NOT_SETTLED) for o in self.rows)
        rest = f"; {unsettled} {'is' if unsettled == 1 else 'are'} not settled." if unsettled else "."
        if not false:
            return f"None of {len(self.rows)} rows was found to be false as printed{rest}"
        kinds = counted([(o.severity, bool(o.follows)) for o in false])
        left = sum(not o.repaired for o in false)
        repaired = "all repaired" if not left else f"{left} not repaired"
        falls = ", ".join(self.falls) or "nothing"
        are = "is" if len(false) == 1 else "are"
        return f"{len(false)} of {len(self.rows)} rows {are} false as printed: {kinds}; {repaired}; what falls: {falls}{rest}"

    @property
    def headline(self) -> tuple[Headline, ...]:
        """The main results, in printed order."""
        of_title: dict[str, list[Outcome]] = {}
        for o in self.rows:
            if o.row.main:
                of_title.setdefault(place(o.row)[1], []).append(o)
        return tuple(_headline(title, group) for title, group in of_title.items())


def _headline(title: str, group: list[Outcome]) -> Headline:
    errors = sorted((e for o in group for e in o.errors), key=by_severity)
    verdicts = [o.verdict for o in group]
    weakest = lambda found: NOT_SETTLED if NOT_SETTLED in found else str(min(map(Verdict, found), key=lambda v: v.strength))
    verdict = "REFUTED" if errors else weakest(verdicts)
    said = list(dict.fromkeys(in_words(e) for e in errors))
    if len(said) > 1:  # none of them is all that is wrong
        said = [words.removesuffix(" only") for words in said]
    evidence = weakest([o.chain for o in group])
    if not errors:
        executed = lambda found: found not in (NOT_SETTLED, "OPEN") and Verdict(found).executed
        proved = "proved" if executed(evidence) else "proved from what it needs"
        said = [{NOT_SETTLED: NOT_SETTLED, "OPEN": "open"}.get(verdict, proved if executed(verdict) else "no error found")]
    return Headline(
        title=title,
        ids=tuple(o.id for o in group),
        verdict=verdict,
        printed="; ".join(said),
        change=" ".join(dict.fromkeys(first_sentence(e["instead"]) for e in errors if e["instead"])),
        evidence=evidence,
    )


def account(document: Mapping[str, Any] | Ledger, key: str) -> Account:
    """What a ledger says of one paper.

    Parameters
    ----------
    document : Mapping or Ledger
        A ledger as `proofs_check.core.files.read_ledger` returns it, or of the run just made.
    key : str
        The key of the paper.

    Returns
    -------
    Account

    Raises
    ------
    KeyError
        If there is no such paper.

    Examples
    --------
    >>> account({"claims": []}, "BB").sentence
    'None of 164 rows was found to be false as printed; 164 are not settled.'
    """
    title = paper(key)["title"]
    return Account(key=key, title=title, rows=tuple(o for o in outcomes(document).values() if o.row.paper == key))
