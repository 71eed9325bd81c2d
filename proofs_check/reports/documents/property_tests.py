"""What the property test of a claim showed, in whole sentences, for `show` and the blueprint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["examples", "without"]

ENGINE = "property test"


def examples(evidence: Mapping[str, Any]) -> str:
    """How many examples were drawn for a statement, by the evidence of a ledger, how near they came
    to its edge, and where they refute it with other numbers; empty if it has no property test.
    """
    route = next((r for r in evidence["routes"] if r["engine"] == ENGINE), None)
    if route is None:
        return ""
    if route["verdict"] == "OPEN":
        return f"The property test decided nothing: {route['reason']}."
    if route["verdict"] == "REFUTED":
        return f"Drawn examples refute it, too, at {_point(route['witness'])}."
    if route["slack"] is None:
        said = f"{route['covered']}. The statement holds at all of them."
    else:
        said = (
            f"{route['covered']}. The largest ratio of the two sides is {1 / route['slack']:.4g}, where 1 "
            "is allowed"
        )
        said += f"; the engine above knows {1 / evidence['slack']:.4g}." if evidence["slack"] else "."
    control = route["control"]
    return said + (
        f" With other numbers the statement is refuted by them, at {_point(control['witness'])}."
        if control
        else ""
    )


def without(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence without its property test, which is told by itself.

    >>> without({"routes": [{"engine": "property test"}, {"engine": "quadrature"}]})
    {'routes': [{'engine': 'quadrature'}]}
    """
    return {**evidence, "routes": [r for r in evidence["routes"] if r["engine"] != ENGINE]}


def _point(witness: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in witness.items())
