"""Whether two runs say the same of a claim, whatever the processors on which they were made.

Verdicts, hypotheses, texts, exact numbers and the points of witnesses are the same on all of them.
Floats are rounded otherwise by other vectors; a search climbs the same peak and stops elsewhere on
it; a training ends elsewhere. How far a slack may move is what its engine states, and points that
were found on the way to an accepted statement are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from numerics.evidence.verdict import CEILING, SEARCHED, Verdict

__all__ = ["difference", "room", "same"]

#: Relative difference below which two numbers are the same number, rounded differently.
ROUNDING = 1e-6
#: By how many of its standard errors a slack of runs or samples may differ.
STANDARD_ERRORS = 4
#: Numbers of a run and points that were found; with them, what `difference` does not compare:
#: `proofs_check.reports.documents.diff` compares slacks and sharp constants.
RUN = ("seconds", "slack_error", "reference", "margin", "disagreement", "tightest")
MOVING = frozenset({*RUN, "slack", "slack_at_reference", "sharp", "elsewhere"})
#: What is compared of a control and of a route, on which no verdict rests.
CONTROL, ROUTE = ("engine", "checked"), ("engine", "verdict", "checked", "assumes", "cites")
#: Which evidence of its own another engine than the one named takes its slack from.
TAKEN = {"conjunction": "parts", "derivation": "routes"}
#: What a processor moves in the text of what was covered: floats, which may be printed as whole
#: numbers; where the largest ratio is, since cases can tie; the epochs of a training; and the
#: examples that meet the hypotheses, since the ratio drives the choice of the next. Other counts
#: are those of a plan, of a derivation or of exact enclosures.
MOVED = re.compile(
    r": at most [\d.e+-]+(?: where exact)? \([^;]*?\)(?=[;,)]|$)|, at d = [^;]*|(?<=reached )[\d.e+-]+"
    r"|\d+(?= at L = )|(?<=of which )\d+(?= meet)|\d+\.\d+(?:e[-+]?\d+)?|\d+e-\d+"
)


def room(evidence: Mapping[str, Any] | None, slack: float | None) -> tuple[float, float]:
    """By what shares a slack may lie below and above that of another processor, as the engines
    state that found it; (0, 0) where one of them computes it.
    """
    found = list(_sources(evidence, slack)) if evidence and slack is not None else []
    error = STANDARD_ERRORS * max((e.get("slack_error", 0.0) for e in found), default=0.0)
    below, above = zip(*(SEARCHED.get(e["engine"], (0.0, 0.0)) for e in found)) if found else ((0.0,), (0.0,))
    return max(error, min(below)), max(error, min(above))


def _sources(evidence: Mapping[str, Any], slack: float) -> Iterator[Mapping[str, Any]]:
    """The evidences that found a slack, among an evidence and those that it takes it from."""
    if evidence["slack"] == slack:
        given = evidence.get(TAKEN.get(evidence["engine"], ""), ())
        yield from [s for e in given for s in _sources(e, slack)] or [evidence]


def same(old: float | None, new: float | None, below: float = ROUNDING, above: float = ROUNDING) -> bool:
    """Whether a number is the known one, or smaller or larger by at most these shares.

    >>> same(2.0, 1.9999), same(2.0, 1.9999, 1e-3), same(2.0, None)
    (False, True, False)
    """
    if old is None or new is None:
        return old is new
    low, high = sorted((old / (1 + below), old * (1 + above)))
    return low <= new <= high


def difference(old: Any, new: Any, place: str = "") -> str:
    """Where two entries of a ledger first differ in what no processor changes; empty if nowhere.

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
    """An entry or an evidence without what was found on the way: of controls and of routes, what
    they are about and say; what was covered, without what a processor moves, where the engine does
    not prove; of the floats of a witness that runs gave, the signs and the order.
    """
    told = {name: value for name, value in entry.items() if name not in MOVING}
    if control := entry.get("control"):
        evidence = control.get("evidence", control)
        told["control"] = (control["verdict"], *(evidence[name] for name in CONTROL))
    if "engine" in entry:
        told["routes"] = [tuple(e[name] for name in ROUTE) for e in entry["routes"]]
        if CEILING[entry["engine"]] is Verdict.SUPPORTED or entry["engine"] == "conjunction":
            told["covered"] = MOVED.sub("#", entry["covered"])
        if entry["witness_by"] == "statistics":
            floats = {k: v for k, v in entry["witness"].items() if isinstance(v, float)}
            told["witness"] = {k: v for k, v in entry["witness"].items() if k not in floats}
            order = sorted(floats, key=lambda k: (floats[k], k))
            told["witness in order"] = [(k, floats[k] > 0, floats[k] < 0) for k in order]
    return told
