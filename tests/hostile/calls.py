"""Calls of public functions and commands with one argument spoiled, as Hypothesis draws them."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.hostile.commands import command_lines, ended_badly, write_files
from tests.hostile.judging import Outcome, differs, judged, numbers
from tests.hostile.spoiling import SAME, spoiled
from tests.hostile.targets import TARGETS

__all__ = ["inner", "make_calls"]

#: One call of so many is a command.
SHARE_OF_COMMANDS = 10


def inner(around: str) -> Path:
    """A folder in which calls may write, and beside which ``../`` leads to nothing of value."""
    (folder := Path(around) / "inner").mkdir()
    return folder


def has_nan(result: Any) -> bool:
    return any(map(isnan, numbers(result)))


def make_calls(
    calls: int,
    number: int,
    report: Callable[[str, Outcome], None],
    names: list[str] | None = None,
    *,
    slow: bool = True,
) -> None:
    """Make calls of the functions of these names, or of all and now and then of a command, and
    report each: how it was spoiled, and its outcome. Another number draws other calls; `slow` says
    whether commands that load all claims take part.
    """
    write_files(Path())
    known: dict[str, Any] = {}
    quiet: Any = dict(database=None, deadline=None, suppress_health_check=list(HealthCheck))

    @seed(number)
    @settings(max_examples=calls, phases=[Phase.generate], **quiet)
    @given(st.data())
    def calling(data: st.DataObject) -> None:
        if not names and data.draw(st.integers(1, SHARE_OF_COMMANDS)) == 1:
            line = data.draw(command_lines(slow))
            outcome = judged(lambda: ended_badly(line))
            outcome.fault = outcome.fault or outcome.result
            report(f"{line[0]}(command line): {line}", outcome)
            return
        name = data.draw(st.sampled_from(sorted(names or TARGETS)))
        target = TARGETS[name]
        good = dict(target.good())
        which = data.draw(st.sampled_from(sorted(good) or [""]))
        how = ""
        if which:
            how, good[which] = data.draw(spoiled(good[which], which in target.work))
        outcome = judged(lambda: target.call(good))
        if not outcome.refused and not outcome.fault:
            if name not in known:
                known[name] = target.call(target.good())
            if how in SAME and (other := differs(outcome.result, known[name])):
                outcome.fault = f"another result: {other}"
            elif has_nan(outcome.result) and not has_nan(known[name]):
                outcome.fault = "a result with NaN"
        report(f"{name}({which}: {how})", outcome)

    calling()
