"""Refutations from a witness that is written down once: at a point, and along a sequence; and
definitions, which some objects meet and others do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.balls import value
from proofs_check.core.robust import Diverging, Robust

__all__ = ["C", "along", "at_point", "definition", "fails_at"]

#: The unnamed constant of an O.
C = sp.Symbol("C", positive=True)


def at_point(witness: Robust, checked: str, **also: Any) -> Evidence:
    """REFUTED at the point of a witness, or OPEN if the statement, in LaTeX, holds there; `also` is
    shown of the point, too.
    """
    gap = witness.violation(**witness.point)
    return fails_at({**witness.point, **also}, gap, checked, equality=witness.equality, shown=witness.shown())


def fails_at(
    point: Mapping[str, Any], gap: Any, checked: str, *, equality: bool = False, shown: object = None
) -> Evidence:
    """Refute a statement, in LaTeX, at a point by its gap, the exact number left minus right there,
    which is to be 0 or, without `equality`, not positive; OPEN if it holds. Then `shown` says how
    the point is written.
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
    """Refute "there is a constant C such that left <= C right" along a sequence, all of whose
    members share `where`, by `numerics.counterexamples.by_sequences.defeated` of left over right.
    """
    n = witness.n
    member = witness.sequence(n, **{name: sp.sympify(x) for name, x in witness.point.items()})
    at = {name: sp.sympify(x) for name, x in member.items()}
    return defeated(sp.sympify(witness.ratio(**at)), C, n, at=at, where=where, least=witness.least)


def definition(
    meets: Callable[..., Any], checked: str, *, inside: Mapping[str, Any], outside: Mapping[str, Any]
) -> Evidence:
    """Say that a definition, in LaTeX, is met by the objects `inside` and not by those `outside`,
    each the arguments of `meets` by a name: SUPPORTED, or REFUTED with the objects on the wrong
    side.
    """
    wrong = [*(n for n, x in inside.items() if not meets(*x)), *(n for n, x in outside.items() if meets(*x))]
    if wrong:
        witness = {"on the wrong side": ", ".join(wrong)}
        return Evidence(
            verdict=Verdict.REFUTED, engine="examples", witness=witness, witness_by="exact", checked=checked
        )
    covered = f"inside: {', '.join(inside)}; outside: {', '.join(outside)}"
    return Evidence(verdict=Verdict.SUPPORTED, engine="examples", covered=covered, checked=checked)
