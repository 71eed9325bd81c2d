"""The answer to the question how close softmax attention on L tokens is to its limit: its numbers,
and how they are told in sentences, in tables and by a colour.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.setting import AttentionSetting
from numerics.rates.distance.approach import LAW_SHARE, Law
from numerics.rates.distance.infinite_prompt import Known
from numerics.rates.distance.rounded import asked, digits, filled, length, percent
from numerics.rates.ledger_verdicts import verdict_of
from numerics.token_laws.embeddings import EmbeddingTable

__all__ = ["CLOSE", "FAR_OFF", "TOLERANCES", "CertainBound", "Grade", "HowLinear"]

Floats = NDArray[np.float64]
#: Relative errors for which the needed length is told.
TOLERANCES = (0.1, 0.01)
#: Relative errors up to which an answer can be green, and beyond which it is red.
CLOSE, FAR_OFF = 0.1, 0.5


class Grade(NamedTuple):
    """The answer as a colour, which never stands without its words.

    Attributes
    ----------
    colour : {"green", "amber", "red", "none"}
    says : str
    """

    colour: Literal["green", "amber", "red", "none"]
    says: str


@dataclass(frozen=True, eq=False)
class CertainBound:
    """What a theorem of ours promises about the error, where its hypotheses are met.

    Parameters
    ----------
    name : str
    values : array, shape (n,)
        The bound at each length, in the units of the answer: a relative error, or an absolute one
        where the limit is 0; nan where it exceeds the range of floats.
    needed : mapping of float to float
        From which length on it promises each tolerance; infinity if not up to 1e100, nan where the
        limit is 0.
    note : str
        What it rests on.
    """

    name: str
    values: Floats
    needed: Mapping[float, float]
    note: str

    @property
    def supported(self) -> bool:
        """Whether the ledger has evidence for the theorem only, and no proof: such a bound is not
        called certain.
        """
        return verdict_of(self.name) == "SUPPORTED"

    @property
    def title(self) -> str:
        """How a sentence names it.

        Examples
        --------
        >>> CertainBound("R1", np.ones(1), {}, "").title
        'Certain bound (R1)'
        """
        return f"{'Bound that is SUPPORTED, not proved' if self.supported else 'Certain bound'} ({self.name})"


@dataclass(frozen=True, eq=False, repr=False)
class HowLinear:
    """How close softmax attention on L tokens is to its limit for infinite prompts, and that limit
    to linear attention.

    Parameters
    ----------
    setting : AttentionSetting
    lengths : array, shape (n,)
        Increasing.
    error : array, shape (n,)
        ``sqrt(E|T_L - T|^2)``.
    relative_error : array, shape (n,)
        ``sqrt(E|T_L - T|^2 / E|T|^2)``; nan where T = 0.
    standard_error : array, shape (n,)
        Of the relative error, or of the error where T = 0. It is 0 where nothing is sampled.
    slope : array, shape (n,)
        The slope of ``ln E|T_L - T|^2`` over ln L, from a tenth fewer tokens to a tenth more; nan
        where nothing is exact.
    needed : mapping of float to float
        For the relative errors 0.1 and 0.01 the least L from which on the error stays below, as far
        as can be seen up to 1e100; infinity if none does, nan if it is not known.
    law : Law or None
        What the squared error falls like for long prompts; None if theory does not know.
    law_from : float
        The least L from which on the slope differs from that of the law by at most a tenth of its
        exponent; infinity if that is beyond 1e100, nan if it is not known.
    bound : CertainBound or None
    size : Known
        ``sqrt(E|T|^2)``.
    off_linear : Known
        ``sqrt(E|T - V Gamma U z|^2 / E|T|^2)``; 0 for Gaussian tokens.
    with_mean : float or None
        ``sqrt(E|T + Vm|^2)`` for tokens of mean m; None if they are centred.
    replicates : int
        Prompts drawn for each length; 0 if the errors are exact.

    Examples
    --------
    >>> from numerics.rates.distance.how_linear import how_linear
    >>> one = np.eye(2)
    >>> found = how_linear(AttentionSetting(one, one, one, [1.0, 0.0]), [1000])
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    At L = 1000 softmax attention differs from its infinite-prompt limit, for Gaussian tokens the
    linear attention V Gamma U z, by 8.96 % (sqrt(E|T_L - T|^2 / E|T|^2)). 10 % needs L = 800, 1 %
    about 81600. The 1/L law sets in at L = 93. Certain bound (Theorem A): at most 9.03 % at L =
    1000; 10 % from L = 814 on, 1 % from L about 81600 on.
    """

    setting: AttentionSetting
    lengths: Floats
    error: Floats
    relative_error: Floats
    standard_error: Floats
    slope: Floats
    needed: Mapping[float, float]
    law: Law | None
    law_from: float
    bound: CertainBound | None
    size: Known
    off_linear: Known
    with_mean: float | None
    replicates: int

    @property
    def vanishes(self) -> bool:
        """Whether the limit T is 0, so that no error is relative to it."""
        return self.size.value == 0

    @property
    def shown(self) -> Floats:
        """The relative errors, or the errors where the limit is 0."""
        return self.error if self.vanishes else self.relative_error

    @property
    def sentence(self) -> str:
        """The answer for the longest prompt that was asked for, in a few sentences."""
        return " ".join([self.difference, *self._needed(), *self._law(), *self._off_linear(), *self._bound()])

    @property
    def difference(self) -> str:
        """How far attention on the longest prompt is from its limit."""
        at, over = f"At L = {asked(self.lengths[-1])}", ", on average over the queries" if self.setting.averaged else ""
        if math.isnan(self.shown[-1]):
            return f"{at} the distance of softmax attention from its infinite-prompt limit is not known: no engine reaches it."
        drawn = f", measured on {self.replicates} prompts" if self.replicates else ""
        if self.vanishes:
            return (
                f"{at} softmax attention differs from its infinite-prompt limit, which is 0 here, by {self._measured(-1)} "
                f"(sqrt(E|T_L - T|^2){over}{drawn}); no error is relative to a limit of 0, and no L is needed for 10 % of it."
            )
        limit = ", for Gaussian tokens the linear attention V Gamma U z," if self.setting.gaussian else " T"
        return (
            f"{at} softmax attention differs from its infinite-prompt limit{limit} by {self._measured(-1)} "
            f"(sqrt(E|T_L - T|^2 / E|T|^2){over}{drawn})."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the words and numbers of the answer rest on, a sentence each."""
        out = []
        if self.with_mean is not None:
            i = len(self.lengths) - 1
            relative = self.error[i] / self.with_mean if self.with_mean else math.nan
            beside = f": relative to it the error at L = {asked(self.lengths[i])} is {percent(relative)}" if self.with_mean else ""
            out.append(
                "The mean m of the tokens is taken out. It multiplies all weights e^(z_k'Uz) by the same factor, so that the "
                "softmax weights and T_L - T, with its slopes, bounds and absolute errors, are those of the centred tokens. "
                f"T_L and T lose V m, and errors are relative to what is left. The limit with V m has the size "
                f"{self.with_mean:.4g}{beside}. The query is left as it is."
            )
        if self.replicates:
            out.append(
                "Nothing exact is known here, so that errors are measured, with one standard error behind the sign +-; prompts "
                f"and queries much rarer than one in {self.replicates} may be missed. Slopes and needed lengths would take an "
                "exact curve."
            )
        if not np.isnan(self.slope).all():
            out.append(
                "Slope: of ln E|T_L - T|^2 over ln L, from a tenth fewer tokens to a tenth more. A law sets in where from there on "
                "(at all lengths tried, up to 1e100) the slope is off that of the law by at most a tenth of its exponent."
            )
        if self.bound is not None:
            out.append(f"{self.bound.name}: {self.bound.note}.")
        if isinstance(table := self.setting.law.structure, EmbeddingTable):
            out.append(table.says_sigma)
        return tuple(out)

    @property
    def grade(self) -> Grade:
        """The answer for the longest prompt as a colour.

        Green: the relative error is at most 10 %, and the local slope differs from that of the law
        by at most a tenth of its exponent (where both are known). Red: the error is above 50 %, or
        above 10 % while the slope is not that of the law. Amber: everything between.
        """
        error, slope, L = float(self.relative_error[-1]), float(self.slope[-1]), float(self.lengths[-1])
        if self.vanishes:
            return Grade("none", "no colour: the limit is 0, and no error is relative to it")
        if math.isnan(error):
            return Grade("none", "no colour: the error is not known here")
        size = f"the error is {'at most' if error <= CLOSE else 'above'} {percent(CLOSE if error <= FAR_OFF else FAR_OFF)}"
        follows = None
        words = "no law of the approach is known"
        if self.law is not None and not math.isnan(slope):
            law = float(self.law.slope(np.array([L]))[0])
            follows = abs(slope - law) <= LAW_SHARE * self.law.exponent
            known = f", {law:.3g}" if math.isfinite(law) else ""
            words = f"the local slope {slope:.3g} is {'' if follows else 'not '}that of the law{known}"
        if error > FAR_OFF or (error > CLOSE and follows is False):
            return Grade("red", f"red: {size}, and {words}")
        joined = "but" if follows is not None and follows == (error > CLOSE) else "and"
        green = error <= CLOSE and follows is not False
        return Grade("green" if green else "amber", f"{'green' if green else 'amber'}: {size}, {joined} {words}")

    def table(self) -> list[list[str]]:
        """The numbers for each length, under a head."""
        what = "error" if self.vanishes else "relative error"
        rows = [["L", what, "slope", *([] if self.bound is None else [f"at most ({self.bound.name})"])]]
        for i, L in enumerate(self.lengths):
            bound = [] if self.bound is None else [self._size(self.bound.values[i], ROUND_CEILING)]
            slope = "-" if math.isnan(self.slope[i]) else f"{self.slope[i]:.3f}"
            rows.append([asked(L), self._measured(i), slope, *bound])
        return rows

    def needs(self) -> list[list[str]]:
        """The lengths needed for each tolerance, under a head; empty where the limit is 0."""
        if self.vanishes:
            return []
        cell = lambda L: "unknown" if math.isnan(L) else "beyond 1e100" if math.isinf(L) else length(L).removeprefix("about ")
        rows = [
            [
                "relative error",
                "needs L",
                *(
                    []
                    if self.bound is None
                    else [f"{'supported' if self.bound.supported else 'certain'} from L ({self.bound.name})"]
                ),
            ]
        ]
        for t in TOLERANCES:
            rows.append([percent(t), cell(self.needed[t]), *([] if self.bound is None else [cell(self.bound.needed[t])])])
        return rows

    def text(self, width: int = 100) -> str:
        """The whole answer, in lines of a width where words allow it."""
        said, *notes = (filled(text, width) for text in (self.sentence, *self.notes))
        return "\n\n".join(part for part in (said, _columns(self.table()), _columns(self.needs()), *notes) if part)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        row = lambda texts, tag: "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"
        table = lambda rows: "<table>" + row(rows[0], "th") + "".join(row(texts, "td") for texts in rows[1:]) + "</table>"
        said = "".join(f"<p>{html.escape(text)}</p>" for text in self.notes)
        return f"<p>{html.escape(self.sentence)}</p>" + "".join(table(rows) for rows in (self.table(), self.needs()) if rows) + said

    def _size(self, value: float, rounding: str = ROUND_HALF_EVEN) -> str:
        """A relative error as a percentage, an absolute one as a number."""
        if not self.vanishes or math.isnan(value):
            return percent(value, rounding)
        return digits(value, rounding)

    def _measured(self, i: int) -> str:
        """The error at one length, with its standard error where it is sampled."""
        error = self.standard_error[i]
        return self._size(self.shown[i]) + (f" +- {self._size(error)}" if error > 0 else "")

    def _needed(self) -> list[str]:
        """From which lengths on the error is within the tolerances."""
        first, second = (self.needed[t] for t in TOLERANCES)
        if self.vanishes or math.isnan(first):
            return [] if self.vanishes else ["Which L brings it to 10 % or 1 % is not known here."]
        if math.isinf(first):
            return ["Not even 1e100 tokens bring it to 10 %."]
        then = "not even 1e100 tokens bring it to 1 %" if math.isinf(second) else f"1 % {length(second)}"
        return [f"10 % needs L {_equals(first)}{length(first)}, {then}."]

    def _law(self) -> list[str]:
        """From which length on the law shows."""
        if self.law is None:
            return ["Which law the approach follows is not known here."]
        if math.isnan(self.law_from):
            return []
        if math.isinf(self.law_from):
            return [f"The {self.law} law does not set in before L = 1e100."]
        return [f"The {self.law} law sets in at L {_equals(self.law_from)}{length(self.law_from)}."]

    def _off_linear(self) -> list[str]:
        """How far the limit is from linear attention, for other laws than Gaussian ones."""
        if self.setting.gaussian or self.vanishes:
            return []
        error = f" +- {percent(self.off_linear.error)}" if self.off_linear.error else ""
        return [f"T itself differs from the linear attention V Gamma U z by {percent(self.off_linear.value)}{error}."]

    def _bound(self) -> list[str]:
        """What a theorem promises, and whether that is certain."""
        if self.bound is None:
            return ["Certain bound: none."]
        at = f"at L = {asked(self.lengths[-1])}"
        value = self.bound.values[-1]
        says = f"nothing {at}" if not math.isfinite(value) else f"at most {self._size(value, ROUND_CEILING)} {at}"
        if self.vanishes:
            return [f"{self.bound.title}: {says}."]
        first, second = (self.bound.needed[t] for t in TOLERANCES)
        if math.isinf(first):
            return [f"{self.bound.title}: {says}; 10 % beyond L = 1e100 only."]
        then = "1 % beyond L = 1e100 only" if math.isinf(second) else f"1 % from L {_equals(second)}{length(second)} on"
        return [f"{self.bound.title}: {says}; 10 % from L {_equals(first)}{length(first)} on, {then}."]


def _equals(L: float) -> str:
    """What stands between L and its value."""
    return "= " if L < 10_000 else ""


def _columns(rows: list[list[str]]) -> str:
    """Rows as columns that end together."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in rows)
