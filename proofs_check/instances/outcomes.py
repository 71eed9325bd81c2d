"""What refuted claims have in common, and what a check that tries returns, for short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numerics.evidence import Evidence, Verdict

__all__ = ["TYPO", "charge", "refuted_exactly", "supported", "undecided"]


def charge(**words: str) -> dict[str, Any]:
    """The keywords of `claim` that say how grave an error is, what it costs, which it follows."""
    return dict(words)


#: A slip that costs the paper nothing.
TYPO = charge(false="typo", costs="nothing")


def supported(engine: str, covered: str, **fields: Any) -> Evidence:
    """No error was found in what was covered."""
    return Evidence(verdict=Verdict.SUPPORTED, engine=engine, covered=covered, **fields)


def undecided(engine: str, reason: str, **fields: Any) -> Evidence:
    """The engine could not decide, for a reason."""
    return Evidence(verdict=Verdict.OPEN, engine=engine, reason=reason, **fields)


def refuted_exactly(witness: Mapping[str, Any], engine: str = "exact arithmetic", **fields: Any) -> Evidence:
    """The statement fails at a witness that was evaluated exactly."""
    fields |= {"witness": witness, "witness_by": "exact"}
    return Evidence(verdict=Verdict.REFUTED, engine=engine, **fields)
