"""Ledgers for tests: real entries of quick claims, and entries made up from them."""

import copy
import json
from functools import cache

from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.statements import rows

#: Some claims: a gap with a sharp constant and what it uses, an edge, a proved step, and typos,
#: one of which is an inference.
IDS = "CC.3.a CC.3.b LC.4/zero LC.1.am/choice LC.1/inference P3.1.conv LF.1.corner"
QUICK = tuple(f"BB:{id}" for id in IDS.split())


@cache
def _release():
    """The entries of the release, which is in step with the claims: to judge takes far longer."""
    return {e["id"]: e for e in json.loads(RELEASE.read_text(encoding="utf-8"))["claims"]}


def line(name, /, **changes):
    """The entry of a claim, with changes."""
    return copy.deepcopy(_release()[name]) | changes


def made_up(id, verdict, **changes):
    """An entry for any id, in the form of a proved one."""
    plain = line("BB:CC.3.a", id=id, covers=id.split("/")[0], paper=id.split(":")[0], verdict=verdict)
    plain |= {"needs": [], "sharp": None}
    plain["evidence"]["verdict"] = verdict
    if known := rows().get(plain["covers"]):
        plain |= {"where": known.where, "kind": known.kind, "says": known.says, "printed": known.printed}
        if known.no_property.strip():  # a row that says why no property test tries it
            plain["evidence"] = {**plain["evidence"], "routes": []}
    return plain | changes


def document(*lines, partial=False):
    """The ledger of some entries, or of the quick claims, as it is read from a file."""
    entries = lines or tuple(line(id) for id in QUICK)
    return Ledger(copy.deepcopy(entries), run={"partial": partial, "reseed": 0, "seconds": 1.0}).to_json()
