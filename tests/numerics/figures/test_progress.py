"""How far a measurement is, in lines and as a bar."""

from __future__ import annotations

import pytest

from numerics.figures.progress import EVERY, shown
from numerics.jobs.schedule import Progress


def at(share: float, left: float) -> Progress:
    return Progress(int(100 * share), 100, 0, share, left, ())


def test_an_estimate_first_and_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = [0.0]
    with shown(False, clock=lambda: clock[0]) as progress:
        for periods, share in ((0, 0.0), (0.4, 0.1), (1.1, 0.2), (1.9, 0.3), (2.2, 0.5), (9, 1.0)):
            clock[0] = periods * EVERY
            progress(at(share, 1000 * (1 - share)))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "0 of 100 pieces, 0 % of the work, about 16 min 40 s left",
        "20 of 100 pieces, 20 % of the work, about 13 min 20 s left",
        "50 of 100 pieces, 50 % of the work, about 8 min 20 s left",
    ]


def test_nothing_to_do_or_nobody_asked_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with shown(True, clock=lambda: pytest.fail("no need for a clock")) as progress:
        progress(at(0.0, 10.0))
    with shown(False) as progress:
        progress(at(1.0, 0.0))
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with shown(False) as progress:
        progress(at(0.25, 100.0))
    assert "25 of 100 pieces, 25 % of the work, about 1 min 40 s left" in capsys.readouterr().err
