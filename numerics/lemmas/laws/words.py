"""The words in which a bound on a sample is written: `Iid` for the sample, heads for its statistics
and for what the law says of them. The heads are symbols without a value until a law is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp
from sympy.logic.boolalg import Boolean

from numerics.provers.as_written import expression
from numerics.provers.statements.statement import Integers, side_of
from theory.inputs.kinds import check_kind

__all__ = [
    "CdfGap",
    "E",
    "Head",
    "Iid",
    "P",
    "Quantile",
    "SampleMax",
    "SampleMean",
    "SampleMedian",
    "SampleMin",
    "SampleSum",
    "SampleVar",
    "Statistic",
    "Var",
    "of_sample",
]

#: The laws that may be given by name.
NAMED = ("normal",)


@dataclass(frozen=True)
class Iid:
    """A sample of `size` independent variables of one law: every law on the set `on`, or the named
    one.

    Parameters
    ----------
    size : int or Symbol
        A whole number, or a symbol whose range in the domain is `Integers`.
    on : range
        Where every variable lies, as a range of `forall`: ``Closed(0, 1)``, ``(0, oo)``, ``Reals``.
    law : str, optional
        ``"normal"`` for the standard normal law.

    Examples
    --------
    >>> Iid(2, on=sp.Interval(0, 1))
    Iid(size=2, on=Interval(0, 1), law=None)
    """

    size: Any
    on: Any = sp.S.Reals
    law: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.size, (sp.Symbol, int, sp.Integer)) or isinstance(self.size, bool):
            raise TypeError(f"the sample size {self.size!r:.200} is no whole number and no symbol; give one")
        if not isinstance(self.size, sp.Symbol) and self.size < 1:
            raise ValueError(f"a sample of {self.size} variables is empty; give a size of at least 1")
        check_kind((tuple, Integers, sp.Set), on=self.on)
        side_of("the sample", self.on)  # refuses what is no range
        if self.law is not None and not isinstance(self.law, str):
            raise TypeError(
                f"the law {self.law!r:.200} is no text; write one of {list(NAMED)}, or leave it out"
            )
        if self.law is not None and self.law not in NAMED:
            raise ValueError(f"the law {self.law!r} is none of {list(NAMED)}; leave it out for every law")
        if self.law is not None and self.on != sp.S.Reals:
            raise ValueError(f"the {self.law} law has its own range; leave `on` out")


class Head(sp.Expr):
    """A number that depends on the law, or on the sample."""

    is_real = True
    is_commutative = True
    shown: ClassVar[str] = ""
    takes: ClassVar[tuple[type, ...]] = (sp.Expr,)

    def __new__(cls, *args: Any) -> Any:
        if len(args) != len(cls.takes):
            raise TypeError(
                f"{cls.__name__} takes {len(cls.takes)} argument(s), not {len(args)}; see its page"
            )
        if any(isinstance(a, str) for a in args):
            raise TypeError(f"{cls.__name__}({args[0]!r:.200}) holds text; build it from SymPy symbols")
        read = [expression(a) for a in args]
        for given, a, kind in zip(args, read, cls.takes):
            if not isinstance(a, kind):
                called = (
                    "a relation, such as SampleMean(X) >= s" if kind is Boolean else "a scalar expression"
                )
                raise TypeError(f"{cls.__name__} of {given!r:.200}: that is not {called}; give one")
        return super().__new__(cls, *read)

    def _latex(self, printer: Any) -> str:
        inside = ", ".join(printer.doprint(a) for a in self.args)
        return rf"{self.shown}\left({inside}\right)"


class Statistic(Head):
    """A function of the sample."""


class E(Head):
    """The mean: over the law of an expression of X, over the sample of one of statistics."""

    shown = r"\mathbb{E}"


class Var(Head):
    """The variance, of an expression of X or of statistics."""

    shown = r"\operatorname{Var}"


class P(Head):
    """The probability of a relation between X or statistics, numbers of the law and parameters; or
    of several, joined by ``And`` and ``Or``.
    """

    shown = r"\mathbb{P}"
    takes = (Boolean,)


class Quantile(Head):
    """The least number that an expression of X, or of statistics, does not exceed with at least
    this probability. ``Quantile(X, Rational(1, 2))`` is the least median of the law.
    """

    shown = r"\operatorname{quantile}"
    takes = (sp.Expr, sp.Expr)


class SampleMean(Statistic):
    """The mean of a function of X over the sample."""

    shown = r"\operatorname{mean}"


class SampleSum(Statistic):
    """The sum of a function of X over the sample."""

    shown = r"\operatorname{sum}"


class SampleMax(Statistic):
    """The largest value of a function of X in the sample."""

    shown = r"\operatorname{max}"


class SampleMin(Statistic):
    """The least value of a function of X in the sample."""

    shown = r"\operatorname{min}"


class SampleVar(Statistic):
    """The mean square distance from the mean of the sample (divided by n, not by n - 1)."""

    shown = r"\operatorname{var}_n"


class SampleMedian(Statistic):
    """The value in the middle of the sample, half the sum of the middle two if n is even."""

    shown = r"\operatorname{median}"


class CdfGap(Statistic):
    """The largest distance between the distribution functions of the sample and of the law."""

    shown = r"\operatorname{gap}"


def of_sample(head: Any, size: int, total: Callable[[int], Any], rank: Callable[[int], Any]) -> Any:
    """A statistic by the sums of the powers of its values, and by its values in order."""
    if head is SampleVar:
        return total(2) / size - (total(1) / size) ** 2
    if head in (SampleMean, SampleSum):
        return total(1) / size if head is SampleMean else total(1)
    ends = {SampleMin: (0, 0), SampleMax: (size - 1, size - 1), SampleMedian: ((size - 1) // 2, size // 2)}
    low, high = ends[head]
    return rank(low) if low == high else (rank(low) + rank(high)) / 2
