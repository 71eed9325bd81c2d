"""A claim that needs one of another collection: the chain goes on in the ledger kept there."""

import json
from pathlib import Path
from unittest.mock import patch

import pytest

from numerics.evidence import Verdict
from proofs_check.core.claim import REGISTRY
from proofs_check.papers import registered
from proofs_check.papers.statements import add_folder
from proofs_check.reports.cli import main
from proofs_check.reports.documents.new_paper import new_paper

pytest_plugins = "pytester"
MINE, THEIRS = Path("mine"), Path("theirs")
ALONE = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")


@pytest.fixture(autouse=True)
def nothing_stays_registered():
    with patch.dict(registered._named), patch.dict(REGISTRY):
        yield
    registered._forget()


FIRST = """
@claim("{key}:L1", sharp="c", needs={needs})
def the_logarithm_is_below_its_tangent(*, c=Fraction(1)):
    return forall(sp.log(1 + x), "<=", c * x, {{x: Closed(0, sp.oo)}})
"""


def folder(path, key, *needs):
    """A paper whose first lemma, which stands in its module, needs something."""
    module, rows = path / f"lemmas_of_{key.lower()}.py", path / "statements.toml"
    if not path.exists():
        new_paper(path, "On exponentials", key)
        before, _, behind = rows.read_text(encoding="utf-8").partition("[[row.claim]]")
        rows.write_text(before + behind[behind.index("[[row]]") :], encoding="utf-8")
    text = module.read_text(encoding="utf-8")
    place = text.index("# A false statement.")
    head = text[:place].partition(f'\n@claim("{key}:L1"')[0].rstrip()
    module.write_text(f"{head}\n\n{FIRST.format(key=key, needs=needs)}\n\n{text[place:]}", encoding="utf-8")


def judged(pytester, path):
    """The exit status of a run, what it printed in one line, and the entry of the first lemma."""
    result = pytester.runpytest_inprocess(*ALONE, str(path))
    found = sorted((path / "build").glob("ledger*.json"), key=lambda file: file.stat().st_mtime_ns)
    entries = json.loads(found[-1].read_text(encoding="utf-8"))["claims"]
    return int(result.ret), " ".join(result.stdout.str().split()), entries[0]


def is_proved(e):
    return e["verdict"] == e["chain"] == "PROVED"


def is_repaired(e):
    return e["verdict"] == "REFUTED" and e["stands"]


def falls(e):
    return e["verdict"] == e["chain"] == "REFUTED"


@pytest.mark.parametrize("kind", [is_proved, is_repaired, falls])
def test_the_chain_goes_on_in_the_release(kind, release, pytester, ran):
    need = next(e for e in release["claims"] if kind(e) and e["id"] == e["covers"])
    folder(MINE, "ME", need["id"])
    status, said, first = judged(pytester, MINE)
    assert status == 0
    weaker = min((Verdict(first["verdict"]), Verdict(need["chain"])), key=lambda v: v.strength)
    assert (first["chain"], first["stands"]) == (str(weaker), need["stands"])
    assert "not run now, but read from the ledger of the release" in said
    assert f"{need['id']} {need['verdict']}" in said
    shown = " ".join(ran(0, "show", "L1", "--papers", "mine").out.split())
    chain = f"{need['id']} is {need['verdict']}, with all that it needs {need['chain']}"
    assert f"{chain}, in the ledger of the release" in shown
    assert main(["blueprint", "--papers", "mine"]) == 0


NOWHERE = {
    "BB:nowhere": "neither a claim nor a row: correct the id",
    "YOU:L1": "no paper here has the key YOU",
}


@pytest.mark.parametrize(("need", "why"), NOWHERE.items())
def test_what_does_not_exist_is_a_fault(pytester, need, why):
    folder(MINE, "ME", need)
    status, said, first = judged(pytester, MINE)
    assert status != 0
    assert f"FAULT: ME:L1 needs {need}, which is" in said
    assert why in said
    assert first["chain"] == "OPEN"


def test_a_need_without_a_ledger_says_how_to_judge_it(pytester):
    folder(THEIRS, "YOU")
    folder(MINE, "ME", "YOU:L1")
    add_folder(THEIRS)
    status, said, first = judged(pytester, MINE)
    assert (status, first["chain"]) == (0, "OPEN")
    assert "ME:L1 stands? not judged: needs YOU:L1, which did not run; run first: pytest theirs" in said
    *_, theirs = judged(pytester, THEIRS)
    status, said, first = judged(pytester, MINE)
    assert (status, first["stands"]) == (0, True)
    assert "read from the ledger of the last run of YOU, judged on" in said
    assert f"YOU:L1 {theirs['verdict']}" in said


def test_needs_that_go_round_through_two_ledgers_are_a_fault(pytester):
    folder(THEIRS, "YOU")
    folder(MINE, "ME", "YOU:L1")
    add_folder(THEIRS)
    add_folder(MINE)
    for path in (THEIRS, MINE):
        assert judged(pytester, path)[0] == 0
    folder(THEIRS, "YOU", "ME:L1")
    status, said, first = judged(pytester, THEIRS)
    assert status != 0
    assert "the needs go round in a circle: " in said
    assert first["chain"] == "OPEN"


def test_collections_that_run_together_take_the_place_of_no_ledger(pytester):
    for path, key, need in ((THEIRS, "YOU", ()), (MINE, "ME", ("YOU:L1",))):
        folder(path, key, *need)
    result = pytester.runpytest_inprocess(*ALONE, "mine", "theirs")
    said = " ".join(result.stdout.str().split())
    assert result.ret == 0
    assert "because several collections ran together" in said
    assert "read from" not in said
    found = json.loads(Path("build/ledger.partial.json").read_text(encoding="utf-8"))
    assert all(c["stands"] for c in found["claims"])
    assert [*pytester.path.rglob("ledger.json")] == []
