"""Judges the registered claims: what one claim says, as its entry in the ledger."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from numerics.evidence import Evidence
from numerics.terminal.inputs import InputError
from proofs_check.core.claim import REGISTRY, Claim, Judgement
from proofs_check.core.claim_page import shown
from proofs_check.core.ledgers.stored import read_elsewhere
from proofs_check.core.printed import by_kind
from proofs_check.core.sharp_constant import SharpConstant
from proofs_check.core.text_claims import claims_beside
from proofs_check.papers.registered import Collection, collection_of, in_scope
from proofs_check.papers.statements import Row, all_rows, row, told
from theory.inputs.kinds import read_items

__all__ = ["entry", "load_claims", "row_of", "run_claim"]


def load_claims(scope: Iterable[Collection] | None = None) -> Mapping[str, Claim]:
    """Import every module beside a ``statements.toml``, each of which registers its claims, and
    read those that stand in it as text.

    Parameters
    ----------
    scope : iterable of Collection, optional
        Of which papers; by default of those in scope.

    Returns
    -------
    Mapping
        All claims that are registered by then, by id.

    Raises
    ------
    InputError
        If a module in a folder that the user named cannot be imported, or words are of no claim.

    Examples
    --------
    >>> "BB:CC.3.b" in load_claims()
    True
    """
    mine: set[str] = set()
    for collection in in_scope() if scope is None else read_items(Collection, scope=scope):
        mine.update(collection.keys)
        for file in collection.files:
            # As pytest imports it, so that no module is imported twice under two names.
            root = file.parent
            while (root / "__init__.py").is_file():
                root = root.parent
            if str(root) not in sys.path:
                sys.path.insert(0, str(root))
            package = file.parent.relative_to(root).parts
            for module in iter_modules([str(file.parent)]):
                _import(".".join((*package, module.name)), file.parent, collection)
            claims_beside(file)
    # Without its argument a claim would be called PROVED: words are not lost by a slip in an id.
    for id in told():
        if id.split(":", 1)[0] in mine and id not in REGISTRY:
            raise InputError(
                f"statements.toml has words for {id}, which is no claim; correct the id or drop them"
            )
    return REGISTRY


def _import(name: str, folder: Path, collection: Collection) -> None:
    try:
        found = import_module(name).__file__
    except Exception as error:
        if not collection.named:
            raise
        raise InputError(
            f"{collection.name}: the module {name} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if collection.named and not (found and Path(found).resolve().is_relative_to(folder.resolve())):
        raise InputError(
            f"{collection.name}: there is another module {name}, {found}; give the one in {folder} a "
            "name of its own"
        )


def row_of(claim: Claim) -> Row:
    """The row of a claim. A claim without one serves for a quick look: what it says is its
    docstring.
    """
    if claim.row in all_rows():
        return row(claim.id)
    says = _summary(claim) or claim.check.__name__.replace("_", " ")
    return Row(
        id=claim.row,
        paper=claim.row.split(":", 1)[0],
        version="",
        where="no row",
        kind="LOGIC",
        says=says,
        printed="",
    )


def entry(claim: Claim, judgement: Judgement, where: Row) -> dict[str, Any]:
    """One claim's entry in the ledger as JSON values. Of other claims it has only what ledgers of
    other collections say of those that it needs, if it needs any there.
    """
    j = judgement
    elsewhere = read_elsewhere(where.paper, claim.needs)
    slack, repaired_slack = _slacks(claim, j)
    repair = (
        {"numbers": shown(claim.repair), "slack": repaired_slack, **_judged(claim, j.held)}
        if claim.repair
        else None
    )
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
        "summary": _summary(claim),
        "checked": j.held.checked or j.printed.checked,
        "numbers": shown(claim.numbers),
        **_judged(claim, j.printed),
        "repair": repair,
        "control": None if j.control is None else _judged(claim, j.control),
        "sharp": None if j.sharp is None else _sharp(claim.sharp, j.sharp),
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
        **({"elsewhere": elsewhere} if elsewhere else {}),
        "cites": list(dict.fromkeys((*claim.cites, *j.held.cites))),
        "argument": "; ".join(dict.fromkeys(filter(None, (claim.argument, j.held.argument)))),
        "fragment": claim.fragment,
        "why": claim.why,
        "details": claim.details,
        "instead": claim.instead,
        "unproved": claim.unproved,
        "error": j.error,
        "seconds": round(j.seconds, 3),
        "faults": list(j.faults),
    }


def _summary(claim: Claim) -> str:
    return " ".join((claim.check.__doc__ or "").strip().split("\n\n")[0].split())


def _judged(claim: Claim, evidence: Evidence) -> dict[str, Any]:
    told = {"verdict": str(evidence.verdict), "evidence": evidence.to_json()}
    return told | (
        {"assumptions": by_kind(claim.id, evidence)} if evidence.verdict.accepted and evidence.assumes else {}
    )


def _sharp(number: str, found: SharpConstant) -> dict[str, Any]:
    values = {"accepted": found.accepted, "refuted": found.refuted, "undecided": found.undecided}
    texts = {name: None if value is None else str(value) for name, value in values.items()}
    return {"number": number, "word": found.word, **texts, "at": dict(found.beyond.witness)}


def _slacks(claim: Claim, j: Judgement) -> tuple[float | None, float | None]:
    """The slack of the printed statement and of the held one, measured from the sharp
    constant where the claim has one.
    """
    printed, held = j.printed.slack, j.held.slack
    if j.sharp is not None:
        held = j.sharp.slack(Fraction({**claim.numbers, **claim.repair}[claim.sharp])) or held
        # It was found with the repair: it speaks of the printed number only if that is all
        # the repair changes.
        if set(claim.repair) <= {claim.sharp}:
            printed = j.sharp.slack(Fraction(claim.numbers[claim.sharp])) or printed
    return printed, held


def _source_line(claim: Claim) -> str:
    """Where the check stands: a path that begins with the folder of its collection, and a line; of
    a file outside any the name only, since folders of a machine do not belong into a ledger.
    """
    code = claim.check.__code__
    path = Path(code.co_filename).resolve()
    home = collection_of(path)
    shown = path.name if home is None else path.relative_to(home.root.parent).as_posix()
    return f"{shown}:{code.co_firstlineno}"


def run_claim(id: str, reseed: int = 0) -> dict[str, Any]:
    """Judge one registered claim and return its line of the ledger."""
    claim = load_claims()[id]
    return entry(claim, claim.judge(reseed), row_of(claim))
