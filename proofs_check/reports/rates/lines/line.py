"""A line of a report: a law, what the ledger declares of it, and what exact numbers say."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from proofs_check.reports.rates.verdicts import repaired, verdicts

__all__ = ["Line", "judged", "tell"]


@dataclass(frozen=True)
class Line:
    """What the exact numbers say of one law."""

    law: str
    #: Its claim in the ledger.
    row: str
    #: The verdict there.
    declared: str
    #: Whether the paper prints it; otherwise it is ours.
    printed: bool
    says: str
    #: Whether what was found is what the ledger declares.
    holds: bool
    #: For a printed power law: the exact quantity over the printed one, by its variable.
    ratios: dict[str, float] = field(default_factory=dict)
    #: The power of the variable by which this ratio moves in the end.
    power: float | None = None

    @property
    def refuted(self) -> bool:
        """Whether the ledger refutes the law."""
        return self.declared == "REFUTED"


def judged(
    row: str,
    law: str,
    says: str,
    contradicted: bool,
    *,
    printed: bool,
    ratios: dict[str, float] | None = None,
    power: float | None = None,
    corrected: bool = False,
) -> Line:
    """The line of a law that the exact numbers contradict or not; its verdict is the ledger's, as
    repaired if the law is `corrected`.
    """
    declared = (repaired() if corrected else verdicts())[row]
    holds = bool(contradicted) == (declared == "REFUTED")
    return Line(law, row, declared, printed, says, holds, ratios or {}, power)


def tell(lines: Iterable[Line], page: Path, quiet: bool) -> int:
    """Print every line, or those that do not come out as declared, and the page, and return the
    exit status: 0 if every line comes out as the ledger declares it, 1 if not.
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
