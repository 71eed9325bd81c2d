"""The answer to the question how close softmax attention on L tokens is to linear attention: its
numbers, and how they are told in sentences, in tables and by a colour.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.distance.approach import LAW_SHARE, Law
from numerics.attention.distance.infinite_prompt import Known
from numerics.attention.distance.rounded import asked, columns, digits, equals, filled, length, percent
from numerics.attention.setting import AttentionSetting
from numerics.token_laws.embeddings import EmbeddingTable
from theory.shown.result import Drawn, page

__all__ = ["CLOSE", "FAR_OFF", "TOLERANCES", "CertainBound", "Grade", "HowLinear"]

Floats = NDArray[np.float64]
#: Relative errors for which the needed length is told.
TOLERANCES = (0.1, 0.01)
#: Relative errors up to which an answer can be green, and beyond which it is red.
CLOSE, FAR_OFF = 0.1, 0.5


class Grade(NamedTuple):
    """The answer as a colour, which never stands without its words."""

    colour: Literal["green", "amber", "red", "none"]
    says: str


@dataclass(frozen=True, eq=False)
class CertainBound:
    """What a theorem of ours promises about the distance of T_L from its limit T, where its
    hypotheses are met.
    """

    name: str
    #: The bound at each length, in the units of the answer: a relative error, or an absolute one
    #: where linear attention is 0; nan where it exceeds the range of floats.
    values: Floats
    #: From which length on it promises each tolerance; infinity if not up to 1e100, nan where
    #: linear attention is 0.
    needed: Mapping[float, float]
    #: What it rests on.
    note: str

    @property
    def title(self) -> str:
        """How a sentence names it.

        >>> CertainBound("R1", np.ones(1), {}, "").title
        'Certain bound (R1)'
        """
        return f"Certain bound ({self.name})"


@dataclass(frozen=True, eq=False, repr=False)
class HowLinear(Drawn):
    """How close softmax attention on L tokens is to linear attention, by way of its limit T for
    infinite prompts.

    Parameters
    ----------
    setting : AttentionSetting
    lengths : array, shape (n,)
        Increasing.
    error : array, shape (n,)
        ``sqrt(E|T_L - V Gamma U z|^2)``.
    relative_error : array, shape (n,)
        ``sqrt(E|T_L - V Gamma U z|^2 / E|V Gamma U z|^2)``; nan where linear attention is 0.
    standard_error : array, shape (n,)
        Of the relative error, or of the error where linear attention is 0. It is 0 where nothing is
        sampled.
    to_limit, to_limit_error : array, shape (n,)
        The part ``sqrt(E|T_L - T|^2)`` and its standard error, in the units of the answer: shares
        of linear attention, or absolute where that is 0. For Gaussian tokens it is the whole.
    slope : array, shape (n,)
        The slope of ``ln E|T_L - T|^2`` over ln L, from a tenth fewer tokens to a tenth more; nan
        where nothing is exact.
    needed, needed_to_limit : mapping of float to float
        For the relative errors 0.1 and 0.01 the least L from which on the error, or its part from
        T_L to T, stays below, as far as can be seen up to 1e100; infinity if none does, nan if it
        is not known.
    law : Law or None
        What ``E|T_L - T|^2`` falls like for long prompts; None if theory does not know.
    law_from : float
        The least L from which on the slope differs from that of the law by at most a tenth of its
        exponent; infinity if that is beyond 1e100, nan if it is not known.
    bound : CertainBound or None
    linear : float
        ``sqrt(E|V Gamma U z|^2)``.
    size : Known
        ``sqrt(E|T|^2)``.
    off_linear : Known
        The part ``sqrt(E|T - V Gamma U z|^2)``, in the units of the answer; 0 for Gaussian tokens.
    with_mean : float or None
        ``sqrt(E|V Gamma U z + Vm|^2)`` for tokens of mean m; None if they are centred.
    replicates : int
        Prompts drawn for each length; 0 if the errors are exact.

    Examples
    --------
    >>> from numerics.attention.distance.how_linear import how_linear
    >>> one = np.eye(2)
    >>> found = how_linear(AttentionSetting(one, one, one, [1.0, 0.0]), [1000])
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    At L = 1000 softmax attention differs from the linear attention V Gamma U z, for Gaussian tokens
    its limit T for infinite prompts, by 8.96 % (sqrt(E|T_L - V Gamma U z|^2) / |V Gamma U z|).
    10 % needs L = 800, 1 % about 81600. The 1/L law sets in at L = 93. Certain bound (Theorem A):
    at most 9.03 % at L = 1000; 10 % from L = 814 on, 1 % from L about 81600 on.
    """

    setting: AttentionSetting
    lengths: Floats
    error: Floats
    relative_error: Floats
    standard_error: Floats
    to_limit: Floats
    to_limit_error: Floats
    slope: Floats
    needed: Mapping[float, float]
    needed_to_limit: Mapping[float, float]
    law: Law | None
    law_from: float
    bound: CertainBound | None
    linear: float
    size: Known
    off_linear: Known
    with_mean: float | None
    replicates: int

    @property
    def vanishes(self) -> bool:
        """Whether linear attention is 0, so that no error is relative to it."""
        return self.linear == 0

    @property
    def shown(self) -> Floats:
        """The relative errors, or the errors where linear attention is 0."""
        return self.error if self.vanishes else self.relative_error

    @property
    def sentence(self) -> str:
        """The answer for the longest prompt that was asked for, in a few sentences."""
        return " ".join([self.difference, *self._needed(), *self._law(), *self._bound()])

    @property
    def difference(self) -> str:
        """How far attention on the longest prompt is from linear attention, and by which parts."""
        return " ".join([self._whole(), *self._parts()])

    def _whole(self) -> str:
        at = f"At L = {asked(self.lengths[-1])}"
        over = ", on average over the queries" if self.setting.averaged else ""
        if math.isnan(self.shown[-1]):
            return (
                f"{at} the distance of softmax attention from the linear attention V Gamma U z is not known: "
                "no engine reaches it."
            )
        drawn = f", measured on {self.replicates} prompts" if self.replicates else ""
        value = self._told(self.shown[-1], self.standard_error[-1])
        if self.vanishes:
            return (
                f"{at} softmax attention differs from the linear attention V Gamma U z, which is 0 here, by "
                f"{value} (sqrt(E|T_L - V Gamma U z|^2){over}{drawn}); no error is relative to 0, and no L "
                "is needed for 10 % of it."
            )
        limit = ", for Gaussian tokens its limit T for infinite prompts," if self.setting.gaussian else ""
        relative = " / E|V Gamma U z|^2)" if over else ") / |V Gamma U z|"
        return (
            f"{at} softmax attention differs from the linear attention V Gamma U z{limit} by {value} "
            f"(sqrt(E|T_L - V Gamma U z|^2{relative}{over}{drawn})."
        )

    def _parts(self) -> list[str]:
        """The two parts of the distance, where they are two."""
        if self.setting.gaussian:
            return []
        same = "" if self.vanishes else ", as shares of V Gamma U z"
        part = self._told(self.to_limit[-1], self.to_limit_error[-1])
        rest = self._told(*self.off_linear)
        return [
            f"Its parts{same}: from T_L to the limit T for infinite prompts {part}, from T "
            f"to V Gamma U z {rest}."
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the words and numbers of the answer rest on, a sentence each."""
        out = []
        if self.with_mean is not None:
            beside = ""
            if self.with_mean:
                relative = percent(self.error[-1] / self.with_mean)
                beside = f": relative to it the error at L = {asked(self.lengths[-1])} is {relative}"
            out.append(
                "The mean m of the tokens is taken out. It multiplies all weights e^(z_k'Uz) by the same "
                "factor, so that the softmax weights and T_L - T, with its slopes, bounds and absolute "
                "errors, are those of the centred tokens. All outputs lose V m, and errors are relative to "
                f"what is left. Linear attention with V m has the size {self.with_mean:.4g}{beside}. The "
                "query is left as it is."
            )
        if self.replicates:
            out.append(
                "Nothing exact is known here, so that errors are measured, with one standard error behind "
                f"the sign +-; prompts and queries much rarer than one in {self.replicates} may be missed. "
                "Slopes and needed lengths would take an exact curve."
            )
        if not np.isnan(self.slope).all():
            out.append(
                "Slope: of ln E|T_L - T|^2 over ln L, from a tenth fewer tokens to a tenth more. A law sets "
                "in where from there on (at all lengths tried, up to 1e100) the slope is off that of the law "
                "by at most a tenth of its exponent."
            )
        if self.bound is not None:
            out.append(f"{self.bound.name}: {self.bound.note}.")
        if isinstance(table := self.setting.law.structure, EmbeddingTable):
            out.append(table.says_sigma)
        return tuple(out)

    @property
    def grade(self) -> Grade:
        """The answer for the longest prompt as a colour. Green: the error relative to linear
        attention is at most 10 %, and the local slope of E|T_L - T|^2 differs from that of the law
        by at most a tenth of its exponent (where both are known). Red: the error is above 50 %, or
        above 10 % while the slope is not that of the law. Amber: everything between.
        """
        error, slope, L = float(self.relative_error[-1]), float(self.slope[-1]), float(self.lengths[-1])
        if self.vanishes:
            return Grade("none", "no colour: linear attention is 0, and no error is relative to it")
        if math.isnan(error):
            return Grade("none", "no colour: the error is not known here")
        limit = percent(CLOSE if error <= FAR_OFF else FAR_OFF)
        size = f"the error is {'at most' if error <= CLOSE else 'above'} {limit}"
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
        colour: Literal["green", "amber"] = "green" if green else "amber"
        return Grade(colour, f"{colour}: {size}, {joined} {words}")

    def table(self) -> list[list[str]]:
        """The numbers for each length, under a head."""
        part, useful = not self.setting.gaussian, self.bound is not None and self._useful.any()
        head = ["L", "error" if self.vanishes else "relative error", *(["T_L to T"] if part else []), "slope"]
        if useful and self.bound is not None:
            head.append(f"{'T_L to T ' if part else ''}at most ({self.bound.name})")
        rows = [head]
        for i, L in enumerate(self.lengths):
            rows.append([asked(L), self._told(self.shown[i], self.standard_error[i])])
            if part:
                rows[-1].append(self._told(self.to_limit[i], self.to_limit_error[i]))
            rows[-1].append("-" if math.isnan(self.slope[i]) else f"{self.slope[i]:.3f}")
            if useful and self.bound is not None:
                rows[-1].append(
                    self._size(self.bound.values[i], ROUND_CEILING) if self._useful[i] else "no useful bound"
                )
        return rows

    def needs(self) -> list[list[str]]:
        """The lengths needed for each tolerance, under a head; empty where linear attention is
        0.
        """
        if self.vanishes:
            return []
        cell = lambda L: (
            "unknown"
            if math.isnan(L)
            else "beyond 1e100"
            if math.isinf(L)
            else length(L).removeprefix("about ")
        )
        part, bound = not self.setting.gaussian, self.bound
        if bound is not None and math.isinf(min(bound.needed.values())):
            bound = None
        rows = [["relative error", "needs L", *(["T_L to T needs L"] if part else [])]]
        if bound is not None:
            rows[0].append(f"certain from L ({bound.name})")
        for t in TOLERANCES:
            rows.append([percent(t), "not for good" if self.off_linear.beyond(t) else cell(self.needed[t])])
            rows[-1] += [cell(self.needed_to_limit[t])] if part else []
            rows[-1] += [] if bound is None else [cell(bound.needed[t])]
        return rows

    def text(self, width: int = 100) -> str:
        """The whole answer, in lines of a width where words allow it."""
        said, *notes = (filled(text, width) for text in (self.sentence, *self.notes))
        parts = (said, columns(self.table()), columns(self.needs()), *notes)
        return "\n\n".join(part for part in parts if part)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = "".join(page("", rows) for rows in (self.table(), self.needs()) if rows)
        said = "".join(f"<p>{html.escape(text)}</p>" for text in self.notes)
        return f"<p>{html.escape(self.sentence)}</p>{tables}{said}"

    def _draw(self, ax: Any) -> None:
        """The distance from linear attention, its part to the limit, and what is certain."""
        curves: list[tuple[str, Floats, Floats | None, str]]
        curves = [("from linear attention", self.shown, self.standard_error, "exact")]
        if not self.setting.gaussian:
            curves.append(("part to the limit T", self.to_limit, self.to_limit_error, "measured"))
        if self.bound is not None:
            curves.append((self.bound.title, self.bound.values, None, "theorem"))
        self._curves(ax, self.lengths, curves)
        ax.set_xlabel("prompt length L")
        ax.set_ylabel("error" if self.vanishes else "relative error")

    def _size(self, value: float, rounding: str = ROUND_HALF_EVEN) -> str:
        """A relative error as a percentage, an absolute one as a number."""
        if not self.vanishes or math.isnan(value):
            return percent(value, rounding)
        return digits(value, rounding)

    def _told(self, value: float, error: float) -> str:
        """A number of the answer, with its standard error where it is sampled."""
        return self._size(value) + (f" +- {self._size(error)}" if error > 0 else "")

    @property
    def _useful(self) -> NDArray[np.bool_]:
        """At which lengths a bound says something: less than 100 %, or a number where there is no
        relative error.
        """
        assert self.bound is not None
        return np.asarray(self.bound.values <= (np.finfo(float).max if self.vanishes else 1.0))

    def _needed(self) -> list[str]:
        """From which lengths on the error is within the tolerances."""
        first, second = (self.needed[t] for t in TOLERANCES)
        never = [self.off_linear.beyond(t) for t in TOLERANCES]
        if self.vanishes:
            return []
        if never[0]:
            return ["It does not stay within 10 % for long prompts, since T itself is further off."]
        if math.isnan(first):
            return ["Which L brings it to 10 % or 1 % is not known here."]
        if math.isinf(first):
            return ["Not even 1e100 tokens bring it to 10 %."]
        then = "not even 1e100 tokens bring it to 1 %" if math.isinf(second) else f"1 % {length(second)}"
        if never[1]:
            then = "and it does not stay within 1 %, since T itself is further off"
        return [f"10 % needs L {equals(first)}, {then}."]

    def _law(self) -> list[str]:
        of = "" if self.setting.gaussian else " of T_L - T"
        if self.law is None:
            return [f"Which law the approach{of} follows is not known here."]
        if math.isnan(self.law_from):
            return []
        if math.isinf(self.law_from):
            return [f"The {self.law} law{of} does not set in before L = 1e100."]
        return [f"The {self.law} law{of} sets in at L {equals(self.law_from)}."]

    def _bound(self) -> list[str]:
        """What a theorem promises, and whether that is certain."""
        if self.bound is None:
            return ["Certain bound: none."]
        at, of = f"at L = {asked(self.lengths[-1])}", "" if self.setting.gaussian else " on T_L to T"
        useful = self._useful[-1]
        says = f"at most {self._size(self.bound.values[-1], ROUND_CEILING)} {at}"
        first, second = (self.bound.needed[t] for t in TOLERANCES)
        if not useful and not math.isfinite(first):
            nothing = "nothing" if self.vanishes else "nothing below 100 %"
            more = "" if self.vanishes else ", and 10 % at no L up to 1e100"
            return [
                f"Certain bound{of}: no useful bound is known ({self.bound.name} promises "
                f"{nothing} {at}{more})."
            ]
        if self.vanishes:
            return [f"{self.bound.title}{of}: {says}."]
        says = says if useful else f"no useful bound is known {at}"
        if math.isinf(first):
            return [f"{self.bound.title}{of}: {says}; none is 10 % up to L = 1e100."]
        then = "1 % beyond L = 1e100 only" if math.isinf(second) else f"1 % from L {equals(second)} on"
        return [f"{self.bound.title}{of}: {says}; 10 % from L {equals(first)} on, {then}."]
