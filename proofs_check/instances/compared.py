"""The comparison of numbers with what is stated of them, by two numerical routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, Verdict

__all__ = ["Compared", "agree"]


@dataclass(frozen=True)
class Compared:
    """A number, what is stated of it, and the number by a second route."""

    #: What a reader is shown of the instance.
    name: str
    found: float
    stated: float
    again: Callable[[], float]
    #: Quantities that the hypotheses of the claim name.
    where: Mapping[str, Any] = field(default_factory=dict)


def agree(
    engine: str, cases: Iterable[Compared], within: float, *, checked: str, to: str = ".6g"
) -> Evidence:
    """Numbers that agree with what is stated of them, in LaTeX, up to a relative difference of
    `within`: SUPPORTED with every number in the format `to`, or REFUTED at the first that differs,
    by two routes. The engine is a key of `numerics.evidence.CEILING`.
    """
    shown = []
    for case in cases:
        off = abs(case.found / case.stated - 1)
        if not off <= within:
            witness = {
                "instance": case.name,
                **case.where,
                "found": case.found,
                "stated": case.stated,
                "relative difference": off,
            }
            again = abs(case.again() / case.stated - 1)
            return refuted_by_two_routes(engine, witness, off, within, again, checked=checked)
        shown.append(f"{case.name}: {case.found:{to}} of {case.stated:{to}}")
    return Evidence(verdict=Verdict.SUPPORTED, engine=engine, checked=checked, covered="; ".join(shown))
