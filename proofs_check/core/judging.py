"""Judges the registered claims: what one claim says, as its entry in the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from numerics.evidence import Evidence
from proofs_check.core.claim import REGISTRY, Claim, Judgement, shown
from proofs_check.core.dial import Edge
from proofs_check.core.statements import PACKAGE, Row, row, statement_files

__all__ = ["entry", "load_claims", "run_claim"]


def load_claims() -> Mapping[str, Claim]:
    """Import every module beside a ``statements.toml``; each registers its claims.

    Examples
    --------
    >>> "BB:CC.3.b" in load_claims()
    True
    """
    for file in statement_files():
        package = ".".join(file.relative_to(PACKAGE.parent).parent.parts)
        for module in iter_modules([str(file.parent)]):
            import_module(f"{package}.{module.name}")
    return REGISTRY


def entry(claim: Claim, judgement: Judgement, where: Row) -> dict[str, Any]:
    """One claim's entry in the ledger as JSON values, without what depends on other claims."""
    j = judgement
    slack, repaired_slack = _slacks(claim, j)
    repair = {"numbers": shown(claim.repair), "slack": repaired_slack, **_judged(j.held)} if claim.repair else None
    return {
        "id": claim.id,
        "paper": where.paper,
        "covers": where.id,
        "kind": where.kind,
        "where": where.where,
        "line": _source_line(claim),
        "says": where.says,
        "printed": where.printed,
        "reading": where.reading,
        "summary": " ".join((claim.check.__doc__ or "").strip().split("\n\n")[0].split()),
        "checked": j.held.checked or j.printed.checked,
        "numbers": shown(claim.numbers),
        **_judged(j.printed),
        "repair": repair,
        "control": None if j.control is None else _judged(j.control),
        "sharp": None if j.edge is None else _edge(claim.dial, j.edge),
        "slack": slack,
        "slack_at_reference": j.held.reference,
        "severity": claim.false or None,
        "at": claim.at,
        "follows": claim.follows or None,
        "costs": claim.costs or None,
        "robust": None if claim.robust is None else claim.robust.shown(),
        "open": claim.open or None,
        "hypotheses": list(claim.hypotheses),
        "needs": list(claim.needs),
        "cites": list(dict.fromkeys((*claim.cites, *j.held.cites))),
        "argument": claim.argument,
        "fragment": claim.fragment,
        "why": claim.why,
        "details": claim.details,
        "instead": claim.instead,
        "unproved": claim.unproved,
        "error": j.error,
        "seconds": round(j.seconds, 3),
        "faults": list(j.faults),
    }


def _judged(evidence: Evidence) -> dict[str, Any]:
    return {"verdict": str(evidence.verdict), "evidence": evidence.to_json()}


def _edge(dial: str, edge: Edge) -> dict[str, Any]:
    values = {"accepted": edge.accepted, "refuted": edge.refuted, "undecided": edge.undecided}
    texts = {name: None if value is None else str(value) for name, value in values.items()}
    return {"dial": dial, "word": edge.word, **texts, "at": dict(edge.beyond.witness)}


def _slacks(claim: Claim, j: Judgement) -> tuple[float | None, float | None]:
    """The slack of the printed statement and of the held one, measured from the edge of the dial
    where the claim has one.
    """
    printed, held = j.printed.slack, j.held.slack
    if j.edge is not None:
        held = j.edge.slack(Fraction({**claim.numbers, **claim.repair}[claim.dial])) or held
        # The edge was found with the repair: it speaks of the printed number only if that is all
        # the repair changes.
        if set(claim.repair) <= {claim.dial}:
            printed = j.edge.slack(Fraction(claim.numbers[claim.dial])) or printed
    return printed, held


def _source_line(claim: Claim) -> str:
    """Where the check stands: a path below the folder of the package, and a line; of a file outside
    it the name only, since folders of a machine do not belong into a ledger.
    """
    code = claim.check.__code__
    path = Path(code.co_filename)
    shown = path.relative_to(PACKAGE.parent).as_posix() if path.is_relative_to(PACKAGE.parent) else path.name
    return f"{shown}:{code.co_firstlineno}"


def run_claim(id: str, reseed: int = 0) -> dict[str, Any]:
    """Judge one registered claim and return its line of the ledger."""
    claim = load_claims()[id]
    return entry(claim, claim.judge(reseed), row(id))
