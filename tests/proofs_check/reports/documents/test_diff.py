"""Two ledgers compared: every sort of change is seen, nothing else, with the status of diff."""

import copy
import json

import pytest

from proofs_check.core.ledgers.coverage import NOT_SETTLED
from proofs_check.core.ledgers.ledger import write_json
from proofs_check.reports.cli import main
from proofs_check.reports.documents.diff import changes, show
from tests.proofs_check.core.ledgers import document, line, made_up


def changed(id, **fields):
    """What is found when fields of one claim change, as (kind, id, trend)."""
    old = document()
    new = copy.deepcopy(old)
    next(c for c in new["claims"] if c["id"] == id).update(fields)
    return [(c.kind, c.id, c.trend) for c in changes(old, new)]


def test_the_same_and_another_run_of_the_same_say_the_same():
    old, new = document(), document()
    new["run"] |= {"date": "2001-01-01", "seconds": 9.0, "python": "9"}
    for c in new["claims"]:
        c["seconds"], c["slack"] = 9.0, c["slack"] and c["slack"] * (1 + 1e-9)
    assert changes(old, new) == []


@pytest.mark.parametrize(
    ("verdicts", "trend"),
    [
        (("PROVED", "SUPPORTED"), "weaker"),
        (("OPEN", "CERTIFIED"), "stronger"),
        (("SUPPORTED", "REFUTED"), "refuted"),
        (("REFUTED", "OPEN"), "no longer refuted"),
    ],
)
def test_verdicts_have_a_direction(verdicts, trend):
    old, new = (document(made_up("BB:CC.3.a", v)) for v in verdicts)
    found = next(c for c in changes(old, new) if c.kind == "verdict")
    assert (found.old, found.new, found.trend) == (*verdicts, trend)


def test_claims_and_rows_come_and_go():
    one, two = document(line("BB:CC.3.a")), document(line("BB:CC.3.a"), line("BB:CC.3.b"))
    seen = [(c.kind, c.id, c.trend) for c in changes(one, two)]
    assert seen == [("claim", "BB:CC.3.b", "added"), ("row", "BB:CC.3.b", "stronger")]
    back = [(c.kind, c.trend) for c in changes(two, one)]
    assert back == [("claim", "removed"), ("row", "weaker")]


def test_edges_slack_needs_standing_and_repairs_are_seen():
    b = "BB:CC.3.b"
    entry = line(b)
    sharp = entry["sharp"]
    assert changed(b, sharp=sharp | {"accepted": "140"}) == [("sharp", b, "")]
    assert changed(b, sharp=None) == [("sharp", b, "")]
    assert changed(b, sharp=sharp | {"word": "reached"}) == [("sharp", b, "")]
    assert changed(b, slack=0.5) == [("slack", f"{b} (as printed)", "")]
    assert changed(b, slack_at_reference=2.0) == [("slack", f"{b} (at the reference instance)", "")]
    assert changed(b, needs=["BB:CC.3.a"]) == [("needs", b, "")]
    assert changed(b, stands=not document()["claims"][1]["stands"])[0][:2] == ("stands", b)
    assert changed(b, repair=entry["repair"] | {"verdict": "SUPPORTED"})[0] == ("repaired", b, "weaker")
    assert ("repaired", b, "removed") in changed(b, repair=None)
    assert changed(b, severity="typo") == [("severity", b, "")]
    assert changed(b, why="else", seconds=3.0) == []


def test_rounding_is_a_choice():
    old, new = document(line("BB:CC.3.b", slack=1.0)), document(line("BB:CC.3.b", slack=1.001))
    assert changes(old, new)
    assert changes(old, new, rounding=0.01) == []


def test_exit_status_and_output(tmp_path, capsys, ran):
    write_json(document(), tmp_path / "a" / "ledger.json")
    write_json(document(line("BB:CC.3.a")), tmp_path / "b.json")
    a, b = str(tmp_path / "a"), str(tmp_path / "b.json")
    assert "say the same" in ran(0, "diff", a, a).out
    assert "BB:CC.3.b" in ran(1, "diff", a, b).out
    found = json.loads(ran(1, "diff", a, b, "--json").out)
    row = dict(kind="row", id="BB:CC.3.b", old="settled", new=NOT_SETTLED, trend="weaker")
    assert row in found
    assert json.loads(ran(0, "diff", a, a, "--json").out) == []
    assert "cannot read" in ran(2, "diff", a, tmp_path / "none.json").err
    for wrong in ("2", "nan", "much"):
        with pytest.raises(SystemExit) as stop:
            main(["diff", a, b, "--rounding", wrong])
        assert stop.value.code == 2
        assert f"{wrong} is no number in [0, 1)" in capsys.readouterr().err


def test_the_wrong_order_and_a_run_of_some_claims_are_told(tmp_path, ran):
    older, newer = document(), document(line("BB:CC.3.a"), partial=True)
    older["run"]["date"], newer["run"]["date"] = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    write_json(older, a)
    write_json(newer, b)
    told = ran(1, "diff", a, b).err
    assert "NEW is of a run of some claims only" in told
    assert "their order" not in told
    told = ran(1, "diff", b, a).err
    assert "OLD is of a run of some claims only" in told
    assert "is their order what you meant?" in told


def test_an_id_is_never_broken_over_two_lines(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "50")
    long = "BB:CC.3.a/a_part_with_a_name_that_is_long"
    show(changes(document(line("BB:CC.3.a")), document(line("BB:CC.3.a"), made_up(long, "SUPPORTED"))))
    assert long in capsys.readouterr().out


def version_4(new):
    """A ledger of version 4: a number with a sharp constant is called a dial."""
    old = copy.deepcopy(new)
    old["run"]["schema"] = 4
    named = [c["sharp"] for c in old["claims"] if c["sharp"]]
    assert named
    for sharp in named:
        sharp["dial"] = sharp.pop("number")
    return old


def test_a_ledger_of_the_version_before_can_be_compared_but_not_read_otherwise(tmp_path, capsys, ran):
    executed = document(line("BB:CC.3.a"), line("BB:AC.5/i", severity="gap"), line("BB:LC.4/zero"))
    older = version_4(executed)
    older["claims"][1]["severity"] = "typo"
    oldest = executed | {"run": executed["run"] | {"schema": 3}}
    for name, of in (("old", older), ("new", executed), ("oldest", oldest)):
        write_json(of, tmp_path / name / "ledger.json")
    assert main(["diff", str(tmp_path / "old"), str(tmp_path / "new"), "--json"]) == 1
    found = [(c["kind"], c["id"], c["old"], c["new"]) for c in json.loads(capsys.readouterr().out)]
    assert found == [("severity", "BB:AC.5/i", "typo", "gap")]
    unread = ["diff", str(tmp_path / "oldest"), str(tmp_path / "new")]
    for command in (unread, ["status", "--ledger", str(tmp_path / "old")]):
        assert "of the ledger's schema" in ran(2, *command).err
