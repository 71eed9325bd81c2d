"""How far the provers reach in a paper: the share of its identities and inequalities that are
decided by proof or refutation, and the reasons that claims give for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numerics.evidence import Verdict
from proofs_check.core.statements import papers, rows

__all__ = ["DECIDED", "EXACT", "LEAST_SHARE", "MOST_OPEN", "Coverage", "coverage", "stated"]

#: Kinds of rows that a prover should decide: identities, and inequalities over a domain.
EXACT = ("SYM", "INT")
DECIDED = ("PROVED", "CERTIFIED", "REFUTED")
#: Least share of the exact rows of a paper that shall be decided.
LEAST_SHARE = 0.9
#: Most rows of a paper that may be open.
MOST_OPEN = 5


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The exact rows of one paper, and its open rows of any kind.

    Attributes
    ----------
    paper : str
    decided, supported, unsettled : tuple of str
        Rows of the kinds `EXACT`, by the verdict of their main claim; a row with an OPEN claim is
        not settled.
    unexplained : tuple of str
        Claims of those rows that state them, are SUPPORTED, and do not say why no prover reaches
        them.
    open : tuple of str
        Rows of any kind with an OPEN claim.
    """

    paper: str
    decided: tuple[str, ...]
    supported: tuple[str, ...]
    unsettled: tuple[str, ...]
    unexplained: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many exact rows the paper has."""
        return len(self.decided) + len(self.supported) + len(self.unsettled)

    @property
    def share(self) -> float:
        """The share of exact rows that are decided; 1 where there are none."""
        return len(self.decided) / self.rows if self.rows else 1.0

    @property
    def line(self) -> str:
        """The counts in one line of text."""
        out = f"{self.paper}: {len(self.decided)} of {self.rows} SYM and INT rows decided ({self.share:.0%})"
        out += f", {len(self.supported)} only supported, {len(self.unsettled)} not settled; {len(self.open)} rows open"
        if self.unexplained:
            out += f"; supported without saying why no prover reaches them: {', '.join(self.unexplained)}"
        return out

    def broken(self) -> list[str]:
        """The rules that the paper's claims break: `LEAST_SHARE` of its exact rows shall be
        decided, every other one explained, and at most `MOST_OPEN` rows open.
        """
        out = []
        if self.share < LEAST_SHARE:
            missing = ", ".join((*self.supported, *self.unsettled))
            out.append(
                f"{self.paper}: {self.share:.1%} of the SYM and INT rows are decided, not {LEAST_SHARE:.0%}; missing: {missing}"
            )
        if self.unexplained:
            out.append(f"{self.paper}: say with unproved= why no prover reaches {', '.join(self.unexplained)}")
        if len(self.open) > MOST_OPEN:
            out.append(f"{self.paper}: {len(self.open)} rows are open, at most {MOST_OPEN} may be: {', '.join(self.open)}")
        return out


def stated(claims: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of the claims of one row, those that state it: the one named like the row, else every part;
    never what its proof infers.

    Examples
    --------
    >>> whole, step = ({"id": id, "covers": "BB:X"} for id in ("BB:X", "BB:X/step"))
    >>> [c["id"] for c in stated([whole, step])]
    ['BB:X']
    """
    parts = [c for c in claims if not c["id"].endswith("/inference")]
    return [c for c in parts if c["id"] == c["covers"]] or parts


def coverage(claims: Iterable[Mapping[str, Any]], paper: str = "BB") -> Coverage:
    """Count the rows of one paper.

    Parameters
    ----------
    claims : iterable of Mapping
        Entries of a ledger.
    paper : str
        The key of the paper.

    Returns
    -------
    Coverage

    Raises
    ------
    KeyError
        If there is no such paper.

    Examples
    --------
    >>> coverage([], "BB").share
    0.0
    """
    if paper not in papers():
        raise KeyError(f"no paper has the key {paper!r}; there are {', '.join(papers())}")
    of_row: dict[str, list[Mapping[str, Any]]] = {id: [] for id, r in rows().items() if r.paper == paper}
    for c in claims:
        if c["covers"] in of_row:
            of_row[c["covers"]].append(c)
    open_ = [id for id, parts in of_row.items() if any(c["verdict"] == "OPEN" for c in parts)]
    decided, supported, unsettled, unexplained = [], [], [], []
    for id in (id for id in of_row if rows()[id].kind in EXACT):
        main = stated(of_row[id])
        unexplained += [c["id"] for c in main if c["verdict"] == "SUPPORTED" and not c.get("unproved", "").strip()]
        if not main or id in open_:
            unsettled.append(id)
        elif min((Verdict(c["verdict"]) for c in main), key=lambda v: v.strength) in DECIDED:
            decided.append(id)
        else:
            supported.append(id)
    return Coverage(
        paper=paper,
        decided=tuple(decided),
        supported=tuple(supported),
        unsettled=tuple(unsettled),
        unexplained=tuple(unexplained),
        open=tuple(open_),
    )
