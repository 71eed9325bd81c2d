"""Evidence and claims that are made up, for tests that judge them."""

from __future__ import annotations

from typing import Any

from numerics.evidence import Evidence, Verdict

#: The row lends its place only.
ROW = "BB:CC.3.b"
EXACT = "exact arithmetic"


def proved(checked: str = "", **more: Any) -> Evidence:
    return Evidence(verdict=Verdict.PROVED, engine=EXACT, checked=checked, **more)


def refuted(checked: str = "", **witness: Any) -> Evidence:
    point = witness or {"x": 1}
    return Evidence(verdict=Verdict.REFUTED, engine=EXACT, checked=checked, witness=point, witness_by="exact")


def opened(reason: str = "gave up", engine: str = "branch and bound") -> Evidence:
    return Evidence(verdict=Verdict.OPEN, engine=engine, reason=reason)


def at_least_two(c: Any, **witness: Any) -> Evidence:
    return proved("c") if c >= 2 else refuted("c", **witness)
