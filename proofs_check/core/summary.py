"""The table that pytest prints under a run of claims: counts by verdict and paper, the errata, the
weakest links of the chains, and the bounds that give most away.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

from numerics.evidence import Verdict
from proofs_check.core.coverage import coverage
from proofs_check.core.ledger import Ledger
from proofs_check.core.severity import by_severity
from proofs_check.core.statements import papers, rows

__all__ = ["summary"]

Line = tuple[str, dict[str, bool]]
#: How many bounds are listed, those that give most away.
LISTED_BOUNDS = 5


def _counts(ledger: Ledger) -> list[Line]:
    """Verdicts as printed, a line a paper."""
    verdicts = [str(v) for v in Verdict]
    counted = ledger.counts()
    width = max((len(p) for p in counted), default=5)
    out: list[Line] = [(f"{'':{width}} " + "".join(f"{v:>11}" for v in verdicts), {"bold": True})]
    return out + [
        (f"{p:{width}} " + "".join(f"{n.get(v, 0) or '.':>11}" for v in verdicts), {}) for p, n in sorted(counted.items())
    ]


def _witness(evidence: dict[str, Any]) -> str:
    return ", ".join(f"{k} = {v}" for k, v in evidence["witness"].items())


def _errata(ledger: Ledger) -> list[Line]:
    """What is false as printed, with its witness, its repair and what becomes of its users."""
    false = sorted((e for e in ledger.entries.values() if e["severity"]), key=by_severity)
    out: list[Line] = []
    for e in false:
        survives = {True: "what uses it survives", False: "what uses it DOES NOT stand", None: "unused"}[ledger.survives(e["id"])]
        out.append((f"{e['severity']:>13}  {e['id']:24} at {_witness(e['evidence'])[:150]}", {"yellow": True}))
        if e["repair"]:
            numbers = ", ".join(f"{k} = {v}" for k, v in e["repair"]["numbers"].items())
            out.append((f"{'':41}true with {numbers} ({e['repair']['verdict']}); {survives}", {}))
        else:
            out.append((f"{'':41}{survives}", {}))
    return out


def _chains(ledger: Ledger) -> list[Line]:
    """How many claims stand on a chain of which strength, and for every claim that does not stand
    the need to blame.
    """
    standing = Counter(str(ledger.chain(id)) for id in ledger.entries if ledger.stands(id))
    out: list[Line] = [(f"  claims that stand: {', '.join(f'{n} on {v}' for v, n in standing.items()) or 'none'}", {})]
    for id in ledger.entries:
        if not ledger.stands(id):
            need, link = ledger.weakest_link(id)
            if need == id:
                continue  # a claim that is not accepted itself is listed with its verdict already
            if need not in ledger.entries:
                why = f"{need} did not run" if need in ledger.needs else f"no claim settles {need}"
            else:
                why = f"{need} is {link}"
            out.append((f"  {id} does not stand: {ledger.held(id)} itself, but {why}", {"yellow": True}))
    return out


def _losses(ledger: Ledger) -> list[Line]:
    """The bounds that give most away at their reference instance."""
    lost = {id: e["slack_at_reference"] for id, e in ledger.entries.items() if e["slack_at_reference"] is not None}
    if not lost:
        return []
    most = sorted(lost, key=lambda id: -lost[id])[:LISTED_BOUNDS]
    head = f"bound over truth at the reference instance: {len(lost)} bounds, median {median(lost.values()):.3g}; the largest"
    return [("", {}), (head, {"bold": True}), *((f"  {lost[id]:>12.4g}  {id}", {}) for id in most)]


def summary(ledger: Ledger) -> list[Line]:
    """Lines of text with their terminal mark-up.

    Examples
    --------
    >>> summary(Ledger([]))[-1][0].startswith("rows no claim settles yet")
    True
    """
    out = _counts(ledger)
    errata = _errata(ledger)
    if errata:
        out += [("", {}), ("errata (as printed)", {"bold": True}), *errata]
    if ledger.entries:
        out += [("", {}), ("chains: the weakest link below each claim", {"bold": True}), *_chains(ledger)]
    out += _losses(ledger)
    if ledger.run.get("partial") is False:
        out += [("", {}), *((coverage(ledger.entries.values(), key).line, {}) for key in papers())]
    out += [("", {})] + [(f"FAULT: {f}", {"red": True, "bold": True}) for f in ledger.faults()]
    error = sum(e["error"] for e in ledger.entries.values())
    share = f"; sum of error shares {error:.1e}" if error else ""
    out.append((f"rows no claim settles yet: {len(ledger.unsettled())} of {len(rows())}{share}", {}))
    return out
