"""A line of a report: a law, what the ledger declares of it, and what exact numbers say."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Line", "judged", "tell"]


@dataclass(frozen=True)
class Line:
    """What the exact numbers say of one law.

    Attributes
    ----------
    law : str
        In words.
    row : str
        Its claim in the ledger.
    declared : str
        The verdict there.
    printed : bool
        Whether the paper prints it; otherwise it is ours.
    says : str
        What was found.
    holds : bool
        Whether what was found is what the ledger declares.
    ratios : dict of str to float
        For a printed power law: the exact quantity over the printed one, by its variable.
    power : float or None
        The power of the variable by which this ratio moves in the end.
    """

    law: str
    row: str
    declared: str
    printed: bool
    says: str
    holds: bool
    ratios: dict[str, float] = field(default_factory=dict)
    power: float | None = None

    @property
    def refuted(self) -> bool:
        """Whether the ledger refutes the law."""
        return self.declared == "REFUTED"


def judged(
    verdicts: Mapping[str, str],
    row: str,
    law: str,
    says: str,
    contradicted: bool,
    *,
    printed: bool,
    ratios: dict[str, float] | None = None,
    power: float | None = None,
) -> Line:
    """The line of a law that the exact numbers contradict or not.

    Parameters
    ----------
    verdicts : mapping
        Of the ledger, by row.
    row, law, says : str
    contradicted : bool
    printed : bool
    ratios : dict, optional
    power : float, optional

    Examples
    --------
    >>> judged({"R": "REFUTED"}, "R", "1 = 2", "It is not.", True, printed=True).holds
    True
    """
    holds = bool(contradicted) == (verdicts[row] == "REFUTED")
    return Line(law, row, verdicts[row], printed, says, holds, ratios or {}, power)


def tell(lines: Iterable[Line], page: Path, quiet: bool) -> int:
    """Print every line, or those that do not come out as declared, and return the exit status.

    Parameters
    ----------
    lines : iterable of Line
    page : Path
        The report.
    quiet : bool

    Returns
    -------
    int
        0 if every line comes out as the ledger declares it, 1 if not.
    """
    lines = list(lines)
    for line in lines:
        word = "FAILS" if not line.holds else "false" if line.refuted else "holds"
        if not (line.holds and quiet):
            print(
                f"{word}  {line.law}: {line.says} [{line.row}: {line.declared}]",
                file=sys.stderr if quiet else sys.stdout,
            )
    held = sum(line.holds for line in lines)
    if not quiet:
        print(f"{held} of {len(lines)} lines come out as the ledger declares; report in {page}")
    return 0 if held == len(lines) else 1
