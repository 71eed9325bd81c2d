"""Refutations from a witness that is written down once: at a point, and along a sequence; and
definitions, which some objects meet and others do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.balls import value
from numerics.refutation import defeated
from proofs_check.core.robust import Diverging, Robust

__all__ = ["C", "along", "at_point", "definition"]

#: The unnamed constant of an O.
C = sp.Symbol("C", positive=True)


def at_point(witness: Robust, checked: str, **also: Any) -> Evidence:
    """Refute a statement at one point.

    Parameters
    ----------
    witness : Robust
        The point and left minus right, which is positive there, or is not 0 for an equation.
    checked : str
        The statement in LaTeX.
    **also
        What else is to be shown of the point.

    Returns
    -------
    Evidence
        REFUTED, or OPEN if the statement holds at the point.
    """
    gap = sp.sympify(witness.violation(**witness.point))
    ball = value(gap).real
    common: dict[str, Any] = {"engine": "exact arithmetic" if gap.is_Rational else "interval arithmetic", "checked": checked}
    if not (ball != 0 if witness.equality else ball > 0):
        return Evidence(verdict=Verdict.OPEN, reason=f"at {witness.shown()} the sides differ by {gap}", **common)
    shown = gap if gap.is_Rational else float(ball)
    found = {**witness.point, **also, "left minus right": shown}
    return Evidence(verdict=Verdict.REFUTED, witness=found, witness_by="exact" if gap.is_Rational else "Arb", **common)


def along(witness: Diverging, **where: Any) -> Evidence:
    """Refute "there is a constant C such that left <= C right" along a sequence.

    Parameters
    ----------
    witness : Diverging
    **where
        What all members share.

    Returns
    -------
    Evidence
        As of `numerics.refutation.defeated`, of left over right.
    """
    n = witness.n
    member = witness.sequence(n, **{name: sp.sympify(x) for name, x in witness.point.items()})
    at = {name: sp.sympify(x) for name, x in member.items()}
    return defeated(sp.sympify(witness.ratio(**at)), C, n, at=at, where=where, least=witness.least)


def definition(meets: Callable[..., Any], checked: str, *, inside: Mapping[str, Any], outside: Mapping[str, Any]) -> Evidence:
    """Say that a definition is met by some objects, and not by others.

    Parameters
    ----------
    meets : callable
        Maps the arguments of an object, a tuple, to whether it meets the definition.
    checked : str
        The definition in LaTeX.
    inside, outside : Mapping[str, tuple]
        Objects by name.

    Returns
    -------
    Evidence
        SUPPORTED, or REFUTED with the objects on the wrong side.
    """
    wrong = [*(n for n, x in inside.items() if not meets(*x)), *(n for n, x in outside.items() if meets(*x))]
    if wrong:
        witness = {"on the wrong side": ", ".join(wrong)}
        return Evidence(verdict=Verdict.REFUTED, engine="examples", witness=witness, witness_by="exact", checked=checked)
    covered = f"inside: {', '.join(inside)}; outside: {', '.join(outside)}"
    return Evidence(verdict=Verdict.SUPPORTED, engine="examples", covered=covered, checked=checked)
