"""Refutations at one exact point."""

from __future__ import annotations

from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.balls import value

__all__ = ["fails_at"]


def fails_at(point: dict[str, Any], gap: Any, checked: str) -> Evidence:
    """Refute a statement at a point where its left side minus its right side is not what it says.

    Parameters
    ----------
    point : dict
        The witness by name.
    gap : sympy.Expr
        Left minus right there, an exact number that the statement says is not positive, or is 0.
    checked : str
        The statement in LaTeX.

    Returns
    -------
    Evidence
        REFUTED, or OPEN if the gap is 0.
    """
    exact = sp.sympify(gap)
    engine = "exact arithmetic" if exact.is_Rational else "interval arithmetic"
    if value(exact).real.contains(0):
        return Evidence(verdict=Verdict.OPEN, engine=engine, reason=f"at {point} the two sides agree", checked=checked)
    shown = exact if exact.is_Rational else float(value(exact).real)
    by = "exact" if exact.is_Rational else "Arb"
    return Evidence(
        verdict=Verdict.REFUTED, engine=engine, witness={**point, "left minus right": shown}, witness_by=by, checked=checked
    )
