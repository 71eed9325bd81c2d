"""``largeprompt``: what a reader sees of one row, and what wrong input is told."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from proofs_check.cli import main
from proofs_check.core.ledger import Ledger
from proofs_check.core.statements import row, rows


def test_show_tells_the_whole_story_of_a_false_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "BB:CC.3.b"]) == 0
    text = capsys.readouterr().out
    story = [
        "Corollary C.3",
        "as printed",
        "with c = 64",
        "REFUTED",
        "L = 9, a2 = 0",
        "gap",
        "why",
        "instead",
        "bb_cc_3_b.py",
        "repaired",
        "with c = 139",
        "control",
        "sharp",
    ]
    assert [text.index(word) for word in story] == sorted(text.index(word) for word in story)


def test_a_row_without_a_claim_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    from proofs_check.core.judging import load_claims

    settled = {c.row for c in load_claims().values()}
    unsettled = next(id for id in rows() if id not in settled)
    assert main(["show", unsettled]) == 0
    assert "no claim settles this row yet" in capsys.readouterr().out


def test_a_row_shows_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "BB:LC.1.am"]) == 0
    text = capsys.readouterr().out
    assert "BB:LC.1.am:" in text
    assert "BB:LC.1.am/choice:" in text


@pytest.mark.parametrize(
    ("id", "hint"),
    [("BB:CC.3.bb", "the nearest are"), ("nonsense", "no statement is called"), ("BB:LC.1/nothing", "the claims of BB:LC.1 are")],
)
def test_an_unknown_id_is_an_error_that_helps(id: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", id]) == 2
    captured = capsys.readouterr()
    assert hint in " ".join(captured.err.split())
    assert captured.out == ""


def test_an_id_in_another_case_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "bb:cc.3.b"]) == 2
    assert "the nearest are BB:CC.3.b," in capsys.readouterr().err


def test_what_is_piped_is_not_broken_and_a_closed_pipe_is_no_error() -> None:
    command = [sys.executable, "-m", "proofs_check.cli", "show", "BB:CC.3.a"]
    env = {**os.environ, "COLUMNS": "60"}
    whole = subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout
    assert row("BB:CC.3.a").printed in whole
    read, write = os.pipe()
    os.close(read)
    closed = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=env, check=False)
    os.close(write)
    assert closed.stderr == ""
    assert closed.returncode == 1


def test_wrong_commands_end_with_status_two(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ([], ["frobnicate"], ["show"], ["show", "BB:CC.3.b", "--reseed", "x"]):
        with pytest.raises(SystemExit) as stop:
            main(wrong)
        assert stop.value.code == 2
    assert "usage: largeprompt" in capsys.readouterr().err


def test_a_part_belongs_to_its_row_and_every_row_says_where_it_stands() -> None:
    assert row("BB:LC.1/inference") is row("BB:LC.1")
    assert all(r.where and r.says and r.printed for r in rows().values())
    assert set(Ledger([]).unsettled()) == set(rows())
