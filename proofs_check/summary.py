"""The table under a run of claims: counts by verdict and paper, the errata, the weakest links."""

from __future__ import annotations

from typing import Any

from numerics.evidence import Verdict
from proofs_check.ledger import Ledger
from proofs_check.statements import rows

__all__ = ["summary"]

Line = tuple[str, dict[str, bool]]


def _counts(ledger: Ledger) -> list[Line]:
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
    order = {"material": 0, "gap": 1, "typo": 2}
    false = sorted((e for e in ledger.entries.values() if e["severity"]), key=lambda e: order[e["severity"]])
    out: list[Line] = []
    for e in false:
        survives = {True: "what uses it survives", False: "what uses it DOES NOT stand", None: "unused"}[ledger.survives(e["id"])]
        out.append((f"{e['severity']:>8}  {e['id']:24} at {_witness(e['evidence'])[:150]}", {"yellow": True}))
        if e["repair"]:
            numbers = ", ".join(f"{k} = {v}" for k, v in e["repair"]["numbers"].items())
            out.append((f"{'':36}true with {numbers} ({e['repair']['verdict']}); {survives}", {}))
        else:
            out.append((f"{'':36}{survives}", {}))
    return out


def _weakest(ledger: Ledger) -> list[Line]:
    out: list[Line] = []
    for id in ledger.entries:
        chain = ledger.chain(id)
        if chain is not None:
            stands = "stands" if ledger.stands(id) else "does not stand"
            out.append((f"  {id:24} {ledger.held(id)}, chain {chain}: {stands}", {} if ledger.stands(id) else {"yellow": True}))
    return out


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
    weakest = _weakest(ledger)
    if weakest:
        out += [("", {}), ("chains: weakest link below each claim", {"bold": True}), *weakest]
    out += [("", {})] + [(f"FAULT: {f}", {"red": True, "bold": True}) for f in ledger.faults()]
    error = sum(e["error"] for e in ledger.entries.values())
    share = f"; sum of error shares {error:.1e}" if error else ""
    out.append((f"rows no claim settles yet: {len(ledger.unsettled())} of {len(rows())}{share}", {}))
    return out
