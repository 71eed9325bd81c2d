"""A refutation by two numerical routes, or the admission that they do not agree well enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numerics.evidence import Evidence, Verdict

__all__ = ["refuted_by_two_routes"]

#: Largest disagreement of the routes, in units of the violation, at which a refutation counts.
AGREEMENT = 1e-6


def refuted_by_two_routes(
    engine: str, witness: Mapping[str, Any], found: float, bound: float, again: float, **fields: Any
) -> Evidence:
    """``found > bound``, where `again` is the same quantity by a second route.

    Parameters
    ----------
    engine : str
    witness : Mapping
        Where; `found` and `bound` belong into it under the names of the statement.
    found, bound, again : float
    **fields
        Further fields of the evidence.

    Returns
    -------
    Evidence
        REFUTED, or OPEN if the routes differ by more than 1e-6 of the violation.

    Raises
    ------
    ValueError
        If `found` does not exceed `bound`.

    Examples
    --------
    >>> refuted_by_two_routes("quadrature", {"x": 2}, 2.0, 1.0, 2.0 + 1e-9).verdict.value
    'REFUTED'
    >>> refuted_by_two_routes("quadrature", {"x": 2}, 2.0, 1.0, 1.9).verdict.value
    'OPEN'
    """
    if not found > bound:
        raise ValueError(f"{found} does not exceed {bound}: there is nothing to refute")
    disagreement = abs(again - found) / (found - bound)
    if disagreement > AGREEMENT:
        reason = f"{found} exceeds {bound} at {dict(witness)}, but a second route gives {again}"
        return Evidence(verdict=Verdict.OPEN, engine=engine, reason=reason, **fields)
    return Evidence(
        verdict=Verdict.REFUTED, engine=engine, witness=witness, witness_by="two routes", disagreement=disagreement, **fields
    )
