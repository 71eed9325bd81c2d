"""How far a computation is, in lines and as a bar."""

import pytest

from numerics.terminal.progress import LINE_INTERVAL, duration, progress_bar


def test_an_estimate_first_and_a_line_now_and_then(capsys):
    clock = [0.0]
    with progress_bar(False, "training", clock=lambda: clock[0]) as advance:
        for periods, share in ((0, 0.0), (0.4, 0.1), (1.1, 0.2), (1.9, 0.3), (2.2, 0.5), (9, 1.0)):
            clock[0] = periods * LINE_INTERVAL
            advance(share, 1, "training softmax", 1000 * (1 - share))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "training softmax: 0 % done, about 16 min 40 s left",
        "training softmax: 20 % done, about 13 min 20 s left",
        "training softmax: 50 % done, about 8 min 20 s left",
    ]


def test_the_time_left_is_that_of_the_time_so_far(capsys):
    clock = [0.0]
    with progress_bar(False, "drawing prompts", clock=lambda: clock[0]) as advance:
        for periods, done in ((0.0, 0), (1.5, 150), (2, 200), (3, 300)):
            clock[0] = periods * LINE_INTERVAL
            advance(done, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "drawing prompts: 15 % done, about 4 min 15 s left",
        "drawing prompts: 30 % done, about 3 min 30 s left",
    ]


def test_a_second_computation_has_a_pace_of_its_own(capsys):
    clock = [0.0]
    with progress_bar(False, "reading", clock=lambda: clock[0]) as advance:
        for periods, done in ((0.0, 0), (0.5, 900), (0.6, 100), (1.1, 300)):
            clock[0] = periods * LINE_INTERVAL
            advance(done, 1000)
    assert capsys.readouterr().err.splitlines() == ["reading: 30 % done, about 35 s left"]


def test_nothing_when_nobody_asked_or_it_is_short(capsys):
    with progress_bar(True, "drawing", clock=lambda: pytest.fail("no need for a clock")) as advance:
        advance(1, 2, "drawing", 1000.0)
    with progress_bar(False, "drawing") as advance:
        advance(0, 0)  # nothing to do
        advance(0, 10, "drawing", LINE_INTERVAL / 2)
        advance(10, 10)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with progress_bar(False, "asking the store") as advance:
        advance(0, 0)  # an empty one does not divide by zero
        advance(1, 4, "10 of 40 jobs", 100.0)
    assert "10 of 40 jobs: 25 % done, about 1 min 40 s left" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (3599, "59 min 59 s"), (3599.7, "1 h 0 min"), (86400, "24 h 0 min")],
)
def test_rough_times(seconds, said):
    assert duration(seconds) == said
