"""What is kept of the second opinion, and what the command says and refuses."""

import ast
import builtins
import json
import re

import pytest
import sympy as sp

from numerics.evidence import Verdict, all_of
from numerics.provers import forall, trace_identity
from numerics.provers.integrals import integral_evidence
from numerics.provers.remembered import noting
from numerics.terminal.inputs import InputError
from proofs_check.core.claim import Claim
from proofs_check.reports.documents.second_opinion import asking as room
from proofs_check.reports.documents.second_opinion.asking import asked, digests, renew
from proofs_check.reports.documents.second_opinion.kept import Opinions, read
from theory.symbolic.algebra import Algebra

x = sp.Symbol("x", positive=True)
SQUARE, LOGARITHM = (2 * x, "<=", x**2 + 1), (sp.log(x), "<=", x - 1)


def claimed(*inequalities, id="ME:1"):
    """A claim whose check asks the prover these, and returns what it said last."""

    def check():
        return [forall(a, op, b, {x: (0, sp.oo)}) for a, op, b in inequalities][-1]

    return Claim(id=id, check=check)


def test_answers_are_kept_and_read_again(tmp_path):
    new, wrong = renew(Opinions(), [claimed(SQUARE, LOGARITHM)], again=True)
    assert wrong == []
    assert sorted(new.questions.values()) == ["z3", "z3 and Arb"]
    assert new.says("ME:1").startswith("2 of 2 arithmetic steps by z3 ")
    assert new.says("ME:nothing") == ""
    (tmp_path / "kept.json").write_text(new.as_text(), encoding="utf-8")
    again = read(tmp_path / "kept.json")
    assert again == new
    assert again.whole("ME:1")
    assert any("1 of 1 algebraic" in line for line in again.summary())


def test_a_claim_rests_on_what_a_claim_that_it_calls_rests_on():
    inner = claimed(SQUARE, LOGARITHM)
    assert asked(Claim(id="ME:2", check=lambda: inner())) == asked(inner)


def test_what_is_left_is_listed_and_confirms_no_claim():
    hard = (sp.sqrt(x) * sp.erf(x), "<=", sp.sqrt(x) + sp.erf(x) ** 2)
    told = []
    new, wrong = renew(Opinions(), [claimed(SQUARE, hard)], again=True, told=told.append)
    assert wrong == []
    assert sorted(new.questions.values()) == ["left", "z3"]
    assert not new.whole("ME:1")
    assert len(told) == 1
    assert new.summary()[-1] == "left of ME:1: 1 of 2"


def test_only_what_is_new_is_asked_unless_all_of_it_is():
    goals, _ = asked(claimed(SQUARE))
    known = Opinions("somebody", dict.fromkeys(goals, "z3"), {})
    told = []
    new, _ = renew(known, [claimed(SQUARE, LOGARITHM)], again=False, told=told.append)
    assert len(new.questions) == 2


def test_a_prover_that_is_wrong_is_contradicted(monkeypatch):
    """As a planted error of a prover would be: what it accepts is false at x = 1."""
    goals, others = asked(claimed(SQUARE))
    (goal,) = goals.values()
    false = goal.__class__(goal.domain, goal.given, goal.lhs, "<", goal.rhs)
    monkeypatch.setattr(room, "asked", lambda claim: ({false.digest: false}, others))
    new, wrong = renew(Opinions(), [claimed(SQUARE)], again=True, told=lambda _: None)
    assert len(wrong) == 1
    assert "ME:1: contradicted at {'x': '1'}" in wrong[0]
    assert not new.whole("ME:1")


def test_what_was_confirmed_and_is_not_any_more_is_wrong(monkeypatch):
    from numerics.second_opinion import asking

    goals, _ = asked(claimed(LOGARITHM))
    monkeypatch.setattr(asking, "ask", lambda goal: asking.Answer("unknown", "z3 gives up"))
    before = Opinions("z3", dict.fromkeys(goals, "z3 and Arb"))
    _, wrong = renew(before, [claimed(LOGARITHM)], again=True, told=lambda _: None)
    assert len(wrong) == 1
    assert "confirmed before" in wrong[0]


def test_other_kinds_of_questions_are_counted():
    words = Algebra(general=["A", "B"])
    A, B = words["A"], words["B"]
    claim = Claim(id="ME:2", check=lambda: trace_identity(A * (B + A), A * B + A * A))
    assert asked(claim) == ({}, {"matrix words": 1})


def test_without_z3_it_says_what_to_type(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name.split(".")[0] == "z3":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"type: pip install 'largeprompt\[smt\]'"):
        renew(Opinions(), [], again=True)


def test_a_claim_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="no claim is called BB:nowhere"):
        room.second_opinion(["BB:nowhere"])


def test_the_kept_file_speaks_of_claims_and_contradicts_nothing():
    kept = read()
    ledger = json.loads((room.KEPT.parent / "ledger.json").read_text(encoding="utf-8"))
    assert kept.claims.keys() <= {c["id"] for c in ledger["claims"]}
    assert set(kept.questions.values()) <= {"z3", "z3 and Arb", "left", "left, algebraic"}
    assert {q for mine, _ in kept.claims.values() for q in mine} == kept.questions.keys()


def test_no_evidence_is_kept_without_its_questions():
    """A second evaluation in one process would otherwise ask fewer questions than the first."""
    remembers = ("cache", "lru_cache", "functools.cache")
    kept = [
        f"{path.name}: {f.name}"
        for path in room.KEPT.parent.rglob("*.py")
        for f in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(f, ast.FunctionDef) and f.returns and "Evidence" in ast.unparse(f.returns)
        if any(ast.unparse(d).split("(")[0] in remembers for d in f.decorator_list)
    ]
    assert kept == []


@pytest.fixture
def run_of(monkeypatch, tmp_path):
    """The command, where the file holds `kept` and a run noted the claim, which is the only one."""

    def command(kept, claim, write=False, noted=True):
        with noting() as notes:
            claim()
        (tmp_path / "noted.json").write_text(json.dumps({claim.id: digests(notes, {})}), encoding="utf-8")
        file = tmp_path / "kept.json"
        file.write_text(kept.as_text(), encoding="utf-8")
        monkeypatch.setattr(room, "read", lambda: read(file))
        monkeypatch.setattr("proofs_check.core.judging.load_claims", lambda: {claim.id: claim})
        run = str(tmp_path / "noted.json") if noted else ""
        return room.second_opinion([], noted=run, write=str(file) if write else ""), read(file)

    return command


def integral():
    return integral_evidence(1 / (1 + x**2), x, (0, 1), "==", sp.pi / 4)


BESIDES = lambda: all_of(forall(*SQUARE, {x: (0, sp.oo)}), integral())
CHANGED = {
    "another question": claimed(SQUARE, LOGARITHM),
    "one question less": claimed(SQUARE),
    "an integral besides": Claim(id="ME:1", check=BESIDES),
    "an integral alone": Claim(id="ME:1", check=integral),
    "no proof any more": Claim(id="ME:1", check=lambda: forall(2 * x, "<", x**2 + 1, {x: (0, sp.oo)})),
    "another claim": claimed(SQUARE, (x, "<=", x + 1), id="ME:2"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_the_kept_file_is_believed_of_the_same_questions_only(name, run_of, capsys):
    kept, _ = renew(Opinions(), [claimed(SQUARE, (x, "<=", x + 1))], again=True)
    assert run_of(kept, claimed(SQUARE, (x, "<=", x + 1)))[0] == 0
    capsys.readouterr()
    claim = CHANGED[name]
    assert run_of(kept, claim)[0] == 1
    assert "WRONG the kept file is of other questions than ME:" in capsys.readouterr().out
    code, written = run_of(kept, claim, write=True)
    asked_now, others = asked(claim)
    assert code == 0
    assert written.claims == ({claim.id: (sorted(asked_now), others)} if asked_now or others else {})
    assert written.questions.keys() == asked_now.keys()
    assert run_of(written, claim)[0] == 0


def test_what_is_known_is_not_asked_again_to_put_the_file_in_step(run_of, monkeypatch):
    kept, _ = renew(Opinions(), [claimed(SQUARE, LOGARITHM)], again=True)
    monkeypatch.setattr(room, "asked", lambda claim: pytest.fail("it is evaluated again"))
    assert run_of(kept, claimed(SQUARE), write=True)[0] == 0


@pytest.mark.parametrize("noted", [True, False])
def test_what_was_contradicted_before_stays_wrong(noted, run_of):
    kept, _ = renew(Opinions(), [claimed(SQUARE)], again=True)
    kept.questions = dict.fromkeys(kept.questions, "contradicted")
    assert run_of(kept, claimed(SQUARE), noted=noted)[0] == 1


def test_a_claim_that_asks_nothing_any_more_is_forgotten():
    kept, _ = renew(Opinions(), [claimed(SQUARE)], again=True)
    assert renew(kept, [CHANGED["no proof any more"]], again=True)[0].claims == {}


def test_the_page_on_trust_counts_what_the_kept_file_holds():
    """Claims without a question of numbers do not count, and ARGUED ones count apart."""
    ledger = json.loads((room.KEPT.parent / "ledger.json").read_text(encoding="utf-8"))
    page = (room.KEPT.parents[1] / "docs" / "trust.md").read_text(encoding="utf-8")
    kept = read()
    assert kept.table(ledger) in page, "type: largeprompt status --write docs/trust.md"
    names = "|".join(Verdict)
    verdicts = re.findall(rf"^\| (?:{names})[\w ]* \| ([\d ]+) \|", page, re.MULTILINE)
    counted = [int(n.replace(" ", "")) for n in verdicts]
    assert sum(counted) == sum(bool(mine) for mine, _ in kept.claims.values())
    argued = Opinions("z3", {"q": "z3"}, {"ME:1": (["q"], {}), "ME:2": ([], {"an integral": 1})})
    entry = {"id": "ME:1", "verdict": "REFUTED", "repair": {"verdict": Verdict.ARGUED}}
    assert f"| {Verdict.ARGUED} | 1 | 1 |" in argued.table({"claims": [entry]})
    assert "PROVED" not in argued.table({"claims": [entry]})
