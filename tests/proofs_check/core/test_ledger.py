"""Chains, circles, survival: what holds the claims together."""

from itertools import pairwise

import jsonschema
import pytest

from numerics.evidence import Verdict
from proofs_check.core.judging import load_claims, run_claim
from proofs_check.core.ledgers.files import schema
from proofs_check.core.ledgers.ledger import Ledger, write_json
from tests.proofs_check.core.ledgers import made_up

A, B, C, D = "BB:CC.3", "BB:CC.3.a", "BB:CC.3.b", "BB:LC.1"


def line(id, verdict, needs=(), repair=None):
    return made_up(id, verdict, needs=list(needs), repair=repair and {"verdict": repair})


def test_a_chain_is_the_minimum_of_a_claim_and_all_it_needs():
    ledger = Ledger([line(A, "PROVED", (B,)), line(B, "SUPPORTED", (C,)), line(C, "CERTIFIED")])
    # Nothing is lifted: that what B rests on is certified makes B no stronger, nor A.
    assert [ledger.chain(x) for x in (A, B, C)] == [Verdict.SUPPORTED, Verdict.SUPPORTED, Verdict.CERTIFIED]
    assert all(ledger.stands(x) for x in (A, B, C))
    assert ledger.weakest_link(A) == (B, Verdict.SUPPORTED)
    assert ledger.weakest_link(C) == (C, Verdict.CERTIFIED)
    weak = Ledger([line(A, "SUPPORTED", (B,)), line(B, "PROVED")])
    assert (weak.chain(A), weak.chain(B)) == (Verdict.SUPPORTED, Verdict.PROVED)


def test_what_no_prover_reaches_is_at_most_supported_in_every_chain():
    told = line(B, "PROVED") | {"unproved": "no prover here speaks of differential equations"}
    ledger = Ledger([line(A, "PROVED", (B,)), told])
    assert ledger.chain(A) is ledger.chain(B) is Verdict.SUPPORTED
    assert ledger.held(B) is Verdict.PROVED


def test_a_held_refutation_is_never_lifted():
    ledger = Ledger([line(A, "PROVED", (B,)), line(B, "REFUTED", (C,)), line(C, "PROVED")])
    assert ledger.chain(A) is Verdict.REFUTED
    assert not ledger.stands(A)
    assert ledger.survives(B) is False


def test_a_repair_counts_in_the_chain():
    ledger = Ledger([line(A, "PROVED", (B,)), line(B, "REFUTED", repair="CERTIFIED")])
    assert ledger.chain(A) is Verdict.CERTIFIED
    assert ledger.stands(A) is ledger.stands(B) is ledger.survives(B) is True
    assert ledger.survives(A) is None


def test_what_was_not_run_or_not_settled_is_open():
    assert Ledger([line(A, "PROVED", (B,))], {A: (B,), B: ()}).chain(A) is Verdict.OPEN
    assert Ledger([line(A, "PROVED", (D,))]).chain(A) is Verdict.OPEN


def test_a_row_in_needs_means_its_parts_but_not_what_is_inferred_from_it():
    parts = [line(f"{B}/one", "PROVED"), line(f"{B}/two", "SUPPORTED"), line(f"{B}/inference", "REFUTED")]
    assert Ledger([line(A, "PROVED", (B,)), *parts]).chain(A) is Verdict.SUPPORTED


def test_what_uses_a_row_uses_its_parts_but_not_what_is_inferred_from_it():
    part, inference = f"{B}/part", f"{B}/inference"
    lines = [line(A, "PROVED", (B,)), line(B, "PROVED"), line(inference, "REFUTED")]
    lines.append(line(f"{B}/step", "PROVED", (B,)))
    whole = Ledger([*lines, line(part, "REFUTED", repair="PROVED")])
    assert whole.users(part) == [A]
    assert whole.users(B) == [A, f"{B}/step"]
    assert whole.users(inference) == []
    assert (whole.survives(part), whole.survives(inference)) == (True, None)
    assert Ledger([*lines, line(part, "REFUTED")]).survives(part) is False


def read(chain, *needs):
    return {"verdict": "PROVED", "chain": chain, "needs": list(needs), "ledger": "a ledger"}


def test_what_ran_counts_more_than_what_was_read():
    mine = made_up("ME:L1", "PROVED", needs=["BB:CC.3"], elsewhere={"BB:CC.3": read("SUPPORTED")})
    alone = Ledger([mine])
    assert (alone.chain("ME:L1"), alone.weakest_link("ME:L1")[0]) == (Verdict.SUPPORTED, "BB:CC.3")
    assert alone.held("BB:CC.3") is None
    parts = [made_up("BB:CC.3/one", "PROVED"), made_up("BB:CC.3/two", "REFUTED")]
    assert Ledger([mine, *parts]).chain("ME:L1") is Verdict.REFUTED
    # One part of the row says nothing of the others, which are read.
    needs = {"ME:L1": ("BB:CC.3",), "BB:CC.3/one": (), "BB:CC.3/two": ()}
    chains = [Ledger([mine, part], needs).chain("ME:L1") for part in parts]
    assert chains == [Verdict.SUPPORTED, Verdict.REFUTED]


def test_what_rests_on_an_error_elsewhere_falls():
    mine = lambda v: made_up("ME:L1", "PROVED", needs=["BB:X"], elsewhere={"BB:X": read(v)})
    false, true = (Ledger([mine(v)]) for v in ("REFUTED", "PROVED"))
    assert [any(map(book.unmended, book.steps("ME:L1"))) for book in (false, true)] == [True, False]


def test_circles_unknown_needs_and_unknown_rows_are_faults():
    circle = Ledger([line(A, "PROVED", (B,)), line(B, "PROVED", (C,)), line(C, "PROVED", (A,))])
    (fault,) = circle.faults()
    shown = fault.removeprefix("the needs go round in a circle: ").split(" -> ")
    assert sorted(shown[1:]) == [A, B, C]
    assert all(circle.needs[a] == (b,) for a, b in pairwise(shown))
    assert circle.chain(A) is Verdict.OPEN
    of = lambda *lines: Ledger(lines).faults()
    assert any("neither a claim nor a row" in f for f in of(line(A, "PROVED", ("BB:nowhere",))))
    lost = f"{A} follows BB:nowhere, which is no claim; name the claim whose error it inherits"
    assert of(line(A, "PROVED") | {"follows": "BB:nowhere"}) == [lost]
    true, false = line(B, "PROVED") | {"severity": None}, line(B, "REFUTED") | {"severity": "gap"}
    assert "has none" in of(line(A, "REFUTED") | {"follows": B}, true)[0]
    assert of(line(A, "REFUTED") | {"follows": B}, false) == []
    ring = Ledger([false | {"follows": C}, line(C, "REFUTED") | {"severity": "gap", "follows": B}])
    assert "follows from itself" in ring.faults()[0]
    heirs = (line(x, "REFUTED") | {"severity": "gap", "follows": y} for x, y in ((A, B), (D, A)))
    chained = Ledger([false, *heirs])
    assert [chained.first_error(x) for x in (A, B, D)] == [B, B, B]
    assert chained.faults() == []
    assert any("no such row" in f for f in of(line("BB:nowhere", "PROVED")))
    assert of(line(A, "PROVED", (B,)), line(B, "PROVED")) == []


def test_losses_follow_the_needs_and_count_a_step_once():
    needs = {A: (B, D), B: (f"{B}/part",), f"{B}/part": (), D: (f"{B}/part", A), C: ()}
    losses = zip(needs.items(), (9.0, None, 2.0, 3.0, 7.0))
    lines = [line(id, "PROVED", n) | {"slack_at_reference": loss} for (id, n), loss in losses]
    ledger = Ledger(lines, needs)
    assert ledger.steps(A) == [A, B, f"{B}/part", D]  # a circle, which is a fault of its own, ends
    assert ledger.losses(A) == [(A, 9.0), (f"{B}/part", 2.0), (D, 3.0)]
    assert ledger.losses(C) == [(C, 7.0)]
    assert ledger.losses("BB:nowhere") == []


def test_open_settles_nothing():
    assert A in Ledger([line(A, "OPEN")]).unsettled()
    assert A not in Ledger([line(A, "REFUTED")]).unsettled()
    assert A in Ledger([line(A, "OPEN"), line(f"{A}/part", "PROVED")]).unsettled()
    assert A in Ledger([line(A, "PROVED"), line(f"{A}/part", "OPEN")]).unsettled()
    assert A not in Ledger([line(A, "REFUTED"), line(f"{A}/part", "OPEN")]).unsettled()


def test_the_registered_claims_are_in_order():
    claims = load_claims()
    assert Ledger([], {k: c.needs for k, c in claims.items()}).faults() == []


def test_a_ledger_meets_its_schema_and_a_broken_one_does_not(tmp_path):
    document = Ledger([run_claim("BB:CC.3.b")], run={"partial": True}).to_json()
    jsonschema.validate(document, schema())
    write_json(document, tmp_path / "ledger.json")
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.json"]
    broken = dict(document, claims=[{k: v for k, v in document["claims"][0].items() if k != "verdict"}])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema())
    evidence = dict(document["claims"][0]["evidence"], verdict="REFUTED", witness={})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(dict(document, claims=[dict(document["claims"][0], evidence=evidence)]), schema())
