"""What the errata hold, before it is written: the page, the Markdown file and the referee's list
are made from it. Texts have no mark-up but LaTeX between dollars and code between backquotes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofs_check.core.ledgers.losses import Result
from proofs_check.papers.readings import Reading

__all__ = ["Copy", "Entry", "Errata", "Erratum"]


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One error of a row."""

    id: str
    severity: str
    #: The same in words, with the degenerate points of an edge; and what the paper loses, as a
    #: sentence without capital and full stop, empty if nothing.
    kind: str
    lost: str
    #: In words, with LaTeX between dollars; what no engine accepted instead is marked.
    why: str
    details: str
    instead: str
    #: For an inference: that the statement itself is true; else empty.
    truth: str
    #: What the check executes, in words of the paper; empty where it can only be told in its own.
    checked: str
    #: The counterexample by name, what is known of other constants, and how both sides were
    #: computed.
    witness: Mapping[str, str]
    others: str
    evidence: str
    #: The witness script, if there is one, and what it printed.
    script: str
    output: str
    #: What was changed in the check, between backquotes, and what then came out.
    repair: str
    #: The first sentence of `instead`, with its mark.
    instead_in_short: str = ""
    #: The formula that was then judged, in LaTeX; empty if none was accepted.
    judged: str = ""
    #: What authors answered.
    replies: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Copy:
    """An error that is inherited from another row."""

    #: The claim that inherits it, how grave it is in words, and its place.
    id: str
    kind: str
    place: str
    #: Where the inherited error stands, and the row whose entry tells of it.
    source: str
    entry: str
    #: The reason there and what is true instead, in a sentence; empty if the entry says the same.
    why: str
    instead: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row that is false as printed by an error of its own."""

    id: str
    place: str
    #: The place without its section, if it names a numbered statement, an equation or a figure.
    short: str
    #: The row in words and in LaTeX.
    read: str
    printed: str
    #: How a damaged formula was read; empty where the text is clear.
    reading: str
    #: The row's own errors, the gravest first.
    errors: tuple[Erratum, ...]
    #: What the row inherits from other rows, and what others inherit from it.
    inherited: tuple[Copy, ...]
    copies: tuple[Copy, ...]
    #: The statements and equations of these copies, each once.
    also: tuple[str, ...]
    #: What becomes of the results that use the row.
    survives: str
    #: Those results, each with its verdict.
    users: tuple[str, ...]
    #: The readings that the row rests on.
    readings: tuple[Reading, ...] = ()

    @property
    def instead(self) -> str:
        """What is true instead of the gravest error, in a sentence."""
        return self.errors[0].instead_in_short


@dataclass(frozen=True, kw_only=True)
class Errata:
    """The false rows of one paper: first what is false in its own regime, then the others in the
    order of the paper.
    """

    title: str
    authors: str
    version: str
    #: The ledger that they were made from.
    source: str
    #: How many rows are false and how grave that is, in a sentence.
    count: str
    #: Which of its numbered results stand, in a sentence.
    losses: str
    #: All of them, and the main ones.
    results: tuple[Result, ...]
    entries: tuple[Entry, ...]
    #: What names in the counterexamples stand for, in a sentence.
    names: str = ""
    #: How ambiguous or damaged places of the paper are read.
    readings: tuple[Reading, ...] = ()

    @property
    def headline(self) -> tuple[Result, ...]:
        return tuple(r for r in self.results if r.main)

    @property
    def others(self) -> tuple[Result, ...]:
        """The other results of which there is something to say."""
        return tuple(r for r in self.results if not r.main and (r.change or r.reason))

    @property
    def example(self) -> str:
        return self.entries[0].id if self.entries else "KEY:place"
