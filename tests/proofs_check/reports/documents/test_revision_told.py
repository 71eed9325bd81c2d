"""What became of what after a revision, in sentences, on the ledger of the release with one claim
changed by hand.
"""

import copy

import pytest

from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import account
from proofs_check.core.ledgers.stored import find_ledger
from proofs_check.reports.documents.revision_told import what_became


@pytest.fixture(scope="module")
def printed():
    return find_ledger().document


def changed(document, id, **fields):
    """The ledger with other fields in one entry, and what follows from them."""
    claims = [{**copy.deepcopy(e), **(fields if e["id"] == id else {})} for e in document["claims"]]
    return Ledger(claims, run={}).to_json()


def mended(document, id):
    """The ledger in which an error is none."""
    e = next(e for e in document["claims"] if e["id"] == id)
    held = (e["repair"] or {"evidence": {**e["evidence"], "witness": {}}})["evidence"]
    none = dict.fromkeys(("severity", "repair", "follows", "costs"), None)
    return changed(document, id, verdict="CERTIFIED", evidence={**held, "weakest": ""}, instead="", **none)


def said(old, new, id, paper="BB"):
    return [line.plain for line in what_became(old, new, [id], paper)]


def test_a_mended_step_leaves_the_proofs_that_used_it(printed):
    new = mended(printed, "BB:CC.3.b")
    first, *rest = said(printed, new, "BB:CC.3.b")
    assert first.startswith("BB:CC.3.b. As printed it is false at L = ")
    assert first.endswith(" As revised it holds: CERTIFIED.")
    told = {
        r.title: any(line.startswith(f"{r.title} ") for line in rest) for r in account(printed, "BB").headline
    }
    used = {r.title: "BB:CC.3.b" in r.errors for r in account(printed, "BB").headline}
    assert told == used
    assert any(used.values())
    assert not all(used.values())
    assert all(
        "no longer has the error of Corollary C.3" in line for line in rest if line[:4] in ("Theo", "Prop")
    )
    assert rest[-1].startswith("Nothing changes for the main result")
    # and the other way round
    back = said(new, printed, "BB:CC.3.b")
    assert sum("has the error of Corollary C.3 now" in line for line in back) == sum(used.values())


def test_what_inherits_a_mended_error_is_named(printed):
    heirs = {}
    for e in printed["claims"]:
        if e["follows"]:
            heirs.setdefault(e["follows"], []).append(e["id"])
    head, inheriting = next((h, ids) for h, ids in heirs.items() if h.startswith("BB:"))
    (line,) = [x for x in said(printed, mended(printed, head), head) if "by inheritance" in x]
    assert all(id in line for id in inheriting)


def test_what_rests_on_a_refuted_claim_stands_no_longer(printed):
    need = next(n for e in printed["claims"] if e["id"] == "BB:CC.3.b" for n in e["needs"])
    evidence = next(e for e in printed["claims"] if e["id"] == "BB:CC.3.b")["evidence"]
    new = changed(printed, need, verdict="REFUTED", evidence=evidence, repair=None)
    text = " ".join(said(printed, new, need))
    fallen = {
        a["id"] for a, b in zip(printed["claims"], new["claims"]) if a["stands"] and not b["stands"]
    } - {need}
    assert fallen
    line = text.partition("Claims that stand no longer, for what they need fails: ")[2].partition(".  ")[0]
    assert all(id in line for id in fallen)


def test_nothing_changes_where_nothing_did(printed):
    _, last = said(printed, printed, "BB:LC.1")
    assert last.startswith("Nothing changes for the main results ")
    assert all(r.title.split()[1] in last for r in account(printed, "BB").headline)
