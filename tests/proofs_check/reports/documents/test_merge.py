"""Ledgers of parts of a run as one: that of the whole run, or a refusal."""

import json
import os
import re

import pytest

from proofs_check.core import judging
from proofs_check.core.judging import load_claims
from proofs_check.core.ledgers.files import read_ledger
from proofs_check.core.ledgers.ledger import Ledger, write_json
from proofs_check.reports.cli import main
from tests.proofs_check.core.ledgers import QUICK, line


@pytest.fixture(autouse=True)
def few_claims(monkeypatch):
    """The quick claims are all that there are, in the order of the papers."""
    known = {id: claim for id, claim in load_claims().items() if id in QUICK}
    monkeypatch.setattr(judging, "load_claims", lambda scope=None: known)


def run(*ids, **said):
    """The ledger of a run of some claims."""
    known = judging.load_claims()
    lines = [line(id) for id in known if id in ids]
    about = {"partial": set(ids) != set(known), "reseed": 0, "seconds": sum(e["seconds"] for e in lines)}
    return Ledger(lines, {id: claim.needs for id, claim in known.items()}, about | said).to_json()


def merged(folder, *documents):
    """Merge them with the command."""
    parts = [folder / f"{n}.json" for n in range(len(documents))]
    for part, document in zip(parts, documents):
        write_json(document, part)
    return main(["merge", *map(str, parts), "--out", str(folder / "out.json")])


@pytest.mark.parametrize("cut", [1, 3, 6])
def test_disjoint_parts_make_the_ledger_of_the_whole_run(cut, tmp_path):
    # In either order, and with the claims of the second part in front.
    assert merged(tmp_path, run(*QUICK[cut:]), run(*QUICK[:cut])) == 0
    found, whole = read_ledger(tmp_path / "out.json"), json.loads(json.dumps(run(*QUICK)))
    for document in (found, whole):
        del document["run"]["date"], document["run"]["seconds"]
    assert found == whole


def test_parts_that_overlap_and_leave_claims_out_stay_partial(tmp_path):
    assert merged(tmp_path, run(*QUICK[:3]), run(*QUICK[2:5])) == 0
    found = read_ledger(tmp_path / "out.json")
    assert (len(found["claims"]), found["run"]["partial"]) == (5, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["claims"][0].update(verdict="OPEN"), "differ about BB:.*; judge it anew"),
        (lambda d: d["claims"][0].update(numbers={"c": 1}), "differ about BB:"),
        (lambda d: d["run"].update(code="0" * 12), "judged with different code"),
        (lambda d: d["run"].update(reseed=3), "judged with different reseed"),
    ],
    ids=["verdict", "numbers", "code", "reseed"],
)
def test_ledgers_that_do_not_go_together_are_refused(change, says, tmp_path, capsys):
    other = run(*QUICK)
    change(other)
    assert merged(tmp_path, run(*QUICK), other) == 2
    error = capsys.readouterr().err
    assert re.search(says, error), error
    assert not (tmp_path / "out.json").exists()


def test_what_is_no_ledger_or_no_place_is_refused(tmp_path, capsys, ran):
    (tmp_path / "foreign.json").write_text("[]")
    assert "is not a ledger" in ran(2, "merge", tmp_path / "foreign.json", "--out", tmp_path / "out.json").err
    os.mkfifo(tmp_path / "pipe.json")  # to read from it would never end
    assert main(["merge", str(tmp_path / "pipe.json"), "--out", str(tmp_path / "out.json")]) == 2
    assert "pipe.json: it is a device or a pipe; save what it gives in a file" in capsys.readouterr().err
    write_json(run(*QUICK), tmp_path / "whole.json")
    assert main(["merge", str(tmp_path / "whole.json"), "--out", str(tmp_path / "no" / "out.json")]) == 2
    assert "create it first" in capsys.readouterr().err
