"""What the errata hold, before it is written: the page, the Markdown file and the referee's list
are made from it. Texts have no mark-up but LaTeX between dollars and code between backquotes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofs_check.core.outcomes import Headline, first_sentence
from proofs_check.papers.readings import Reading

__all__ = ["Copy", "Entry", "Errata", "Erratum", "kind"]


def kind(severity: str, at: str) -> str:
    """A severity, that of an edge with its degenerate points.

    Examples
    --------
    >>> kind("edge", "L = 1"), kind("gap", "")
    ('edge: L = 1', 'gap')
    """
    return f"{severity}: {at}" if at else severity


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One error of a row.

    Attributes
    ----------
    id, severity : str
        As in the ledger.
    at, costs : str
        The degenerate points of an edge, and what the error costs.
    why, details, instead : str
        In words, with LaTeX between dollars.
    truth : str
        For an inference: that the statement itself is true; else empty.
    checked : str
        What the check executes, in a line; it introduces the names that the counterexample and the
        repair use.
    witness : Mapping
        The counterexample by name.
    evidence : str
        How both sides were computed.
    script, output : str
        The witness script, if there is one, and what it printed.
    repair : str
        What was changed in the check, between backquotes, and what then came out.
    replies : tuple of str
        What authors answered.
    """

    id: str
    severity: str
    at: str
    costs: str
    why: str
    details: str
    instead: str
    truth: str
    checked: str
    witness: Mapping[str, str]
    evidence: str
    script: str
    output: str
    repair: str
    replies: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The severity, of an edge with its degenerate points."""
        return kind(self.severity, self.at)


@dataclass(frozen=True, kw_only=True)
class Copy:
    """An error that is inherited from another row.

    Attributes
    ----------
    id, kind, place : str
        The claim that inherits it, its severity with the points of an edge, and its place.
    source, entry : str
        Where the inherited error stands, and the row whose entry tells of it.
    why, instead : str
        The reason there and what is true instead, in a sentence; empty if the entry says the same.
    """

    id: str
    kind: str
    place: str
    source: str
    entry: str
    why: str
    instead: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row that is false as printed by an error of its own.

    Attributes
    ----------
    id, place : str
        As in ``statements.toml``.
    short : str
        The place without its section, if it names a numbered statement, an equation or a figure.
    read, printed : str
        The row in words and in LaTeX.
    reading : str
        How a damaged formula was read; empty where the text is clear.
    readings : tuple of Reading
        The readings that the row rests on.
    errors : tuple of Erratum
        The row's own errors, the gravest first.
    inherited, copies : tuple of Copy
        What the row inherits from other rows, and what others inherit from it.
    also : tuple of str
        The statements and equations of these copies, each once.
    survives : str
        What becomes of the results that use the row.
    users : tuple of str
        Those results, each with its verdict.
    """

    id: str
    place: str
    short: str
    read: str
    printed: str
    reading: str
    errors: tuple[Erratum, ...]
    inherited: tuple[Copy, ...]
    copies: tuple[Copy, ...]
    also: tuple[str, ...]
    survives: str
    users: tuple[str, ...]
    readings: tuple[Reading, ...] = ()

    @property
    def instead(self) -> str:
        """What is true instead of the gravest error, in a sentence."""
        return first_sentence(self.errors[0].instead)


@dataclass(frozen=True, kw_only=True)
class Errata:
    """The false rows of one paper: first what is false in its own regime, then the others in the
    order of the paper.

    Attributes
    ----------
    title, authors, version : str
        Of the paper.
    source : str
        The ledger that they were made from.
    count : str
        How many rows are false and how grave that is, in a sentence.
    headline : tuple of Headline
        The main results.
    entries : tuple of Entry
    names : str
        What names in the counterexamples stand for, in a sentence.
    readings : tuple of Reading
        How ambiguous or damaged places of the paper are read.
    """

    title: str
    authors: str
    version: str
    source: str
    count: str
    headline: tuple[Headline, ...]
    entries: tuple[Entry, ...]
    names: str = ""
    readings: tuple[Reading, ...] = ()

    @property
    def example(self) -> str:
        """An identifier of the paper."""
        return self.entries[0].id if self.entries else "KEY:place"
