"""The file of edges says what the ledger of the release says; an update keeps the rest."""

import json

from proofs_check.core import claim as claims
from proofs_check.core.judging import entry, load_claims
from proofs_check.core.ledgers.stored import RELEASE, release_text
from proofs_check.papers.sharp_constants import KEPT, Ends, keep_ends, known_ends
from proofs_check.papers.statements import row


def test_the_file_holds_the_edges_of_the_release():
    lines = json.loads(RELEASE.read_text(encoding="utf-8"))["claims"]
    sharp = {line["id"]: line["sharp"] for line in lines if line["sharp"]}
    text = lambda end: None if end is None else str(end)
    kept = {id: dict(zip(Ends._fields, map(text, ends))) for id, ends in known_ends().items()}
    assert kept == {id: {end: edge[end] for end in Ends._fields} for id, edge in sharp.items()}


def test_a_claim_has_the_same_edge_without_the_file(monkeypatch):
    one = load_claims()["BB:LD.1.4th/line"]
    of = lambda judgement: [entry(one, judgement, row(one.id))]
    said = lambda judgement: release_text({"run": {}, "claims": of(judgement), "unsettled": []})
    searched = said(one.judge(search_anew=True))
    assert said(one.judge()) == searched
    monkeypatch.setattr(claims, "known_ends", dict)
    assert said(one.judge()) == searched


def line(id, accepted):
    return {"id": id, "sharp": accepted and {"accepted": accepted, "refuted": "1", "undecided": None}}


def test_edges_of_claims_that_did_not_run_stay(tmp_path):
    file = tmp_path / KEPT
    keep_ends([line("BB:A", "2"), line("BB:B", "3/2")], file)
    keep_ends([line("BB:B", None), line("BB:C", "7")], file)
    kept = {id: ends[0] for id, ends in json.loads(file.read_text(encoding="utf-8")).items()}
    assert kept == {"BB:A": "2", "BB:C": "7"}
