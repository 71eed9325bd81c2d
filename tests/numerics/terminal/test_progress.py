"""How far a computation is, in lines; bars are for people to look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from numerics.terminal.progress import block_progress, duration, progress_bar


def test_lines_now_and_then_with_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    times: Iterator[float] = iter([0.0, 0.0, 9.0, 12.0, 13.0, 22.0, 40.0])
    with block_progress(False, clock=lambda: next(times)) as advance:
        advance(10, 40, 0, 1000)  # reused blocks take no time
        advance(11, 40, 250, 1000)
        advance(12, 40, 300, 1000)
        advance(13, 40, 310, 1000)
        advance(14, 40, 500, 1000)
        advance(40, 40, 1000, 1000)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "12 of 40 blocks, 30 % of the tokens, about 28 s left",
        "14 of 40 blocks, 50 % of the tokens, about 22 s left",
        "40 of 40 blocks, 100 % of the tokens, about 0 s left",
    ]


def test_nothing_when_nobody_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with block_progress(True, clock=lambda: pytest.fail("no need for a clock")) as advance:
        advance(1, 2, 3, 4)
    with block_progress(False) as advance:
        advance(2, 2, 0, 0)  # nothing to do
        advance(2, 2, 10, 10)  # done at once
    with progress_bar(False, "drawing") as move:
        move(1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with block_progress(False) as advance:
        advance(0, 0, 0, 0)  # an empty one does not divide by zero
        advance(3, 40, 30, 1000)
    assert "3 of 40 blocks" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (3599, "59 min 59 s"), (3599.7, "1 h 0 min"), (86400, "24 h 0 min")]
)
def test_rough_times(seconds: float, said: str) -> None:
    assert duration(seconds) == said
