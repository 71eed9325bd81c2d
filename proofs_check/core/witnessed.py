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

__all__ = ["C", "along", "at_point", "definition", "fails_at"]

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
    gap = witness.violation(**witness.point)
    return fails_at({**witness.point, **also}, gap, checked, equality=witness.equality, shown=witness.shown())


def fails_at(
    point: Mapping[str, Any], gap: Any, checked: str, *, equality: bool = False, shown: object = None
) -> Evidence:
    """Refute a statement at a point, by its left side minus its right side.

    Parameters
    ----------
    point : Mapping
        The witness by name.
    gap : sympy.Expr
        Left minus right there, an exact number.
    checked : str
        The statement in LaTeX.
    equality : bool
        Whether the statement says that the gap is 0, rather than that it is not positive.
    shown : object, optional
        How the point is written if the statement holds there.

    Returns
    -------
    Evidence
        REFUTED, or OPEN if the statement holds at the point.
    """
    exact = sp.sympify(gap)
    ball = value(exact).real
    common: dict[str, Any] = {
        "engine": "exact arithmetic" if exact.is_Rational else "interval arithmetic",
        "checked": checked,
    }
    if not (ball != 0 if equality else ball > 0):
        return Evidence(
            verdict=Verdict.OPEN, reason=f"at {shown or point} the sides differ by {exact}", **common
        )
    found = {**point, "left minus right": exact if exact.is_Rational else float(ball)}
    return Evidence(
        verdict=Verdict.REFUTED, witness=found, witness_by="exact" if exact.is_Rational else "Arb", **common
    )


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


def definition(
    meets: Callable[..., Any], checked: str, *, inside: Mapping[str, Any], outside: Mapping[str, Any]
) -> Evidence:
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
        return Evidence(
            verdict=Verdict.REFUTED, engine="examples", witness=witness, witness_by="exact", checked=checked
        )
    covered = f"inside: {', '.join(inside)}; outside: {', '.join(outside)}"
    return Evidence(verdict=Verdict.SUPPORTED, engine="examples", covered=covered, checked=checked)
