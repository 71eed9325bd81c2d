"""Whether two runs say the same of a claim, whatever the processors on which they were made.

Verdicts, hypotheses, texts, exact numbers and the points of witnesses are the same on all of them.
Floats are rounded otherwise by other vectors; a search climbs the same peak and stops elsewhere on
it; a training ends elsewhere. How far a slack may move is what its engine states, and points that
were found on the way to an accepted statement are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numerics.evidence.verdict import CEILING, SEARCHED, Verdict

__all__ = ["difference", "room", "same"]

#: Relative difference below which two numbers are the same number, rounded differently.
ROUNDING = 1e-6
#: By how many of its standard errors a slack of runs or samples may differ.
STANDARD_ERRORS = 4
#: Numbers of a run and points that were found; with them, what `difference` does not compare:
#: `proofs_check.documents.diff` compares slacks and edges.
RUN = ("seconds", "slack_error", "reference", "margin", "disagreement", "tightest")
MOVING = frozenset({*RUN, "slack", "slack_at_reference", "sharp", "elsewhere"})


def room(evidence: Mapping[str, Any] | None, slack: float | None) -> tuple[float, float]:
    """By what shares a slack may lie below and above that of another processor, as the engines
    state that found it, among the evidence, its parts and its routes; (0, 0) where they compute it.

    Examples
    --------
    >>> searched = {"engine": "enumeration", "slack": 2.0, "parts": [], "routes": []}
    >>> room(searched, 2.0), room(searched | {"engine": "quadrature", "slack_error": 0.1}, 2.0)
    ((0.001, 0.01), (0.4, 0.4))
    """
    found = [e for e in _within(evidence) if e["slack"] == slack] if evidence and slack is not None else []
    error = STANDARD_ERRORS * max((e.get("slack_error", 0.0) for e in found), default=0.0)
    below, above = zip((error, error), *(SEARCHED.get(e["engine"], (0.0, 0.0)) for e in found))
    return max(below), max(above)


def _within(evidence: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield evidence
    for part in (*evidence["parts"], *evidence["routes"]):
        yield from _within(part)


def same(old: float | None, new: float | None, below: float = ROUNDING, above: float = ROUNDING) -> bool:
    """Whether a number is the known one, or smaller or larger by at most these shares.

    Examples
    --------
    >>> same(2.0, 1.9999), same(2.0, 1.9999, 1e-3), same(2.0, None)
    (False, True, False)
    """
    if old is None or new is None:
        return old is new
    low, high = sorted((old / (1 + below), old * (1 + above)))
    return low <= new <= high


def difference(old: Any, new: Any, place: str = "") -> str:
    """Where two entries of a ledger first differ in what no processor changes; empty if nowhere.

    Examples
    --------
    >>> difference({"why": "a", "seconds": 1.0}, {"why": "b", "seconds": 2.0})
    'why'
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        x, y = _settled(old), _settled(new)
        found = (difference(x.get(name), y.get(name), f"{place} {name}".strip()) for name in {**x, **y})
        return next(filter(None, found), "")
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return next(filter(None, (difference(x, y, place) for x, y in zip(old, new))), "")
    if isinstance(old, float) and isinstance(new, float):
        return "" if same(old, new) else place
    return "" if old == new else place


def _settled(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry or an evidence without what was found on the way: of controls and of routes, on
    which no verdict rests, the verdicts; what was covered, where the engine proves; of a witness
    that runs gave, what it is about.
    """
    told = {name: value for name, value in entry.items() if name not in MOVING}
    told["control"] = entry.get("control") and entry["control"]["verdict"]
    if "engine" in entry:
        told["routes"] = [(e["engine"], e["verdict"]) for e in entry["routes"]]
        if CEILING[entry["engine"]] is Verdict.SUPPORTED or entry["engine"] == "conjunction":
            del told["covered"]
        if entry["witness_by"] == "statistics":
            told["witness"] = {k: v for k, v in entry["witness"].items() if not isinstance(v, float)}
    return told
