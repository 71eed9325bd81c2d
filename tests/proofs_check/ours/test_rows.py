"""Our own rows say why they are only supported, and none is stronger than a clause of it."""

from numerics.evidence import Verdict
from proofs_check.core.judging import load_claims
from proofs_check.core.ledgers.ledger import Ledger


def ours():
    return {id: claim for id, claim in load_claims().items() if id.startswith("OURS:")}


def test_what_is_only_supported_says_why_or_of_which_part(release):
    supported = {entry["id"] for entry in release["claims"] if entry["verdict"] == "SUPPORTED"}
    explained = {id for id, claim in ours().items() if claim.unproved or claim.fragment}
    why = "say with unproved= why no prover reaches them, or with fragment= which part was executed"
    assert not supported & ours().keys() - explained, why


def test_no_row_is_stronger_than_one_of_its_clauses(release):
    claims = load_claims()
    ledger = Ledger(release["claims"], needs={id: claim.needs for id, claim in claims.items()})

    def stronger(id):
        clauses = [k for k, claim in ours().items() if k.startswith(f"{id}/") and not claim.fragment]
        if not {id, *clauses} <= ledger.entries.keys():  # judged after the next run of all claims
            return False
        return any(Verdict(ledger.chain(k)).strength < ledger.chain(id).strength for k in clauses)

    wrong = [id for id in ours() if "/" not in id and stronger(id)]
    assert not wrong, "let the row need its weaker parts, or give what they say a row of its own"


def test_what_is_decided_by_execution_alone_rests_on_nothing_weaker(release):
    claims = load_claims()
    ledger = Ledger(release["claims"], needs={id: claim.needs for id, claim in claims.items()})
    joined = {id for id, claim in claims.items() if claim.argument or claim.fragment or claim.unproved}
    judged = (ours().keys() & ledger.entries.keys()) - joined
    alone = [id for id in judged if Verdict(ledger.entries[id]["verdict"]).executed]
    why = "say with argument= what joins the executed part to what the row says and others only argue"
    assert not [id for id in alone if not ledger.chain(id).executed], why
