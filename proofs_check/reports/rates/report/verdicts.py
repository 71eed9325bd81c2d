"""The outcome of a run in one line for each quantity, with its numbers: the top of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from numerics.attention.exponents import region
from numerics.attention.setting import Quantity
from numerics.rates.result import Rates
from numerics.rates.series import NAMES, Series
from proofs_check.reports.pages.text import ratio, sci
from proofs_check.reports.rates.report.names import TITLES
from proofs_check.reports.rates.report.slack import Slack, slacks

__all__ = ["Verdict", "cannot_show", "fitted", "verdicts", "worst_deviation"]


class Verdict(NamedTuple):
    """The outcome for one quantity, in one line."""

    #: The quantity, in words.
    title: str
    #: Whether every comparison about it holds.
    holds: bool
    #: ``7 of 7 hold``.
    tally: str
    #: Parts of the sentence, each with its numbers.
    says: tuple[str, ...]


def worst_deviation(run: Rates, quantity: Quantity) -> tuple[float, float] | None:
    """Largest deviation from the exact curve and what is allowed, in standard errors; None where
    nothing is exact.
    """
    name = f"{NAMES[quantity]}: measured = exact at each length"
    return next(((c.value, c.limit) for c in run.comparisons if c.name == name), None)


def fitted(series: Series) -> str:
    """Exponent and standard error, or a dash."""
    return "–" if series.fit is None else f"{series.fit.exponent:.3f} ± {series.fit.standard_error:.3f}"


def cannot_show(run: Rates) -> str | None:
    """Why feasible prompts do not show the sharp exponent of this run; None if nothing is known to
    be in the way.
    """
    setting, output = run.setting, run.series[0]
    if not (setting.averaged and setting.gaussian) or region(setting.score_variance).high <= 0.5:
        return None
    text = f"λ = {setting.score_variance:.4g}."
    if output.fit is not None:
        text += (
            f" The fit gives {output.fit.exponent:.3f} for the output, where the truth is {output.sharp:.4f}."
        )
    if run.far is not None:
        text += f" The exact curve has the slope {run.far.slope[-1]:.4f} at L = {sci(run.far.lengths[-1])}."
    return text


def verdicts(run: Rates) -> list[Verdict]:
    """One line for each quantity."""
    given = slacks(run)
    out = []
    for series in run.series:
        mine = [c for c in run.comparisons if c.name.startswith(f"{NAMES[series.quantity]}: ")]
        held = sum(c.holds for c in mine)
        says = tuple(_parts(run, series, [s for s in given if s.quantity == series.quantity]))
        out.append(
            Verdict(TITLES[series.quantity][0], held == len(mine), f"{held} of {len(mine)} hold", says)
        )
    return out


def _parts(run: Rates, series: Series, given: list[Slack]) -> Iterator[str]:
    """The parts of the sentence about one quantity."""
    worst = worst_deviation(run, series.quantity)
    if worst is not None:
        yield f"at most {worst[0]:.2f} standard errors from the exact curve (allowed {worst[1]:.2f})"
    for slack in given:
        low, high = slack.tightest[1], max(slack.shortest[1], slack.longest[1])
        span = ratio(low) if ratio(low) == ratio(high) else f"{ratio(low)} to {ratio(high)}"
        name = slack.bound.replace(", our constants", " with our constants")
        yield f"{name} is {span} times the {'truth' if slack.against == 'exact' else 'measured error'}"
    sharp = "unknown in theory" if series.sharp is None else f"sharp {series.sharp:.4g}"
    if series.fit is not None and series.trusted:
        low, high = series.fit.interval()
        yield f"exponent {series.fit.exponent:.4f}, 95 % interval [{low:.4f}, {high:.4f}] ({sharp})"
    elif series.fit is not None:
        yield f"exponent not to be read off these lengths: fitted {series.fit.exponent:.3f} ({sharp})"
    if run.far is not None and series.quantity in run.far.slopes:
        slope = run.far.slopes[series.quantity][-1]
        digits = 6 if np.isclose(slope, run.far.sharp, atol=1e-4) else 4
        yield f"exact slope {slope:.{digits}f} at L = {sci(run.far.lengths[-1])}"
