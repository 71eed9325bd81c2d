"""Robust witnesses: an error is called false, and not degenerate, only if the statement keeps
failing when the witness is moved. The claim supplies the point and both sides; the moves, the
hypotheses and the verdict are the core's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb

from numerics.evidence import plain
from numerics.provers import Integers, forall
from numerics.provers.enclosures.balls import value
from numerics.provers.exact.exact_numbers import told
from proofs_check.core.hypotheses import comparisons, unmet

__all__ = ["Diverging", "Robust"]

#: How far rational numbers are moved, relatively, and whole numbers absolutely.
MOVE, STEP = Fraction(1, 100), 1
#: Members of a sequence at which its hypotheses are tested.
MEMBERS = (0, 1, 9, 99)


@dataclass(frozen=True, kw_only=True)
class _Moved:
    """A point strictly inside the hypotheses, and the points near it. Whole numbers (`int`) move by
    1 where the hypotheses allow it, rational ones (`fractions.Fraction`) by one per cent.
    """

    #: Values by name, none of them 0; ``L``, if there is one, at least 2.
    point: Mapping[str, int | Fraction]
    #: What the paper assumes, in the names of the point or of the members of a sequence.
    hypotheses: tuple[str, ...]

    def shown(self) -> dict[str, Any]:
        """The witness as JSON scalars."""
        return {name: plain(x) for name, x in self.point.items()}

    def member(self) -> Mapping[str, Any]:
        """The point itself, or the first member of a sequence, in the names of the hypotheses."""
        return self.point

    def _points(self) -> Iterator[dict[str, int | Fraction]]:
        yield dict(self.point)
        names = list(self.point)
        for moved, sign in itertools.product([*([n] for n in names), names], (1, -1)):
            at = dict(self.point)
            for name in moved:
                x = at[name]
                at[name] = x + sign * STEP if isinstance(x, int) else x * (1 + sign * MOVE)
                if isinstance(x, int) and self._outside(at):
                    at[name] = x  # a whole number at the end of its range moves one way only
            yield at

    def _outside(self, point: Mapping[str, Any]) -> list[str]:
        return unmet(self.hypotheses, point)

    def _ill_typed(self) -> list[str]:
        """Why the numbers cannot be moved."""
        wrong = [
            n for n, x in self.point.items() if isinstance(x, bool) or not isinstance(x, (int, Fraction))
        ]
        if wrong or not self.point:
            return [
                (
                    f"the robust witness holds {', '.join(wrong) or 'nothing'}; give whole numbers (int) "
                    "and Fractions"
                )
            ]
        return []

    def _ill_placed(self) -> list[str]:
        """Why the point may not be used, whatever fails there."""
        out = [
            f"the robust witness has {n} = 0: no quantity of the statement may vanish"
            for n, x in self.point.items()
            if x == 0
        ]
        if self.point.get("L", 2) < 2:
            out.append(
                f"the robust witness has L = {self.point['L']}; it needs L >= 2, where ln L does not vanish"
            )
        whole = {n for n, x in self.point.items() if isinstance(x, int)}
        strict = [
            h if _speaks_of(h, whole) else h.replace("<=", "<").replace(">=", ">") for h in self.hypotheses
        ]
        return out + [f"the robust witness is not strictly inside {h}" for h in unmet(strict, self.point)]


@dataclass(frozen=True, kw_only=True)
class Robust(_Moved):
    """A point at which ``left <= right`` (or ``left = right``) fails, and keeps failing nearby."""

    #: Maps the names of the point, which are SymPy numbers then, to left minus right, exactly: an
    #: integer, a Fraction, a SymPy number or a FLINT ball.
    violation: Callable[..., Any]
    #: Whether the statement is an equation, so that the violation may have either sign.
    equality: bool = False

    def faults(self) -> list[str]:
        """Why the witness is not robust; empty if it is."""
        if out := self._ill_typed() or self._ill_placed():
            return out
        try:
            size = abs(self._violated(self.point))
        except (TypeError, ValueError, ArithmeticError) as error:
            return [f"the violation of the robust witness has no exact value: {error}"]
        least = size / 2 if self.equality else arb(0)
        for at in self._points():
            if wrong := self._outside(at):
                return [f"the robust witness leaves the hypothesis {wrong[0]} when it moves"]
            found = self._violated(at)
            fails = abs(found) >= least and abs(found) > 0 if self.equality else found > 0
            if not fails:
                return [
                    f"the robust witness fails no longer at {', '.join(f'{k} = {v}' for k, v in at.items())}"
                ]
        return []

    def _violated(self, at: Mapping[str, int | Fraction]) -> arb:
        """Left minus right, of SymPy's numbers: one of Python's whole numbers over another is a
        float.
        """
        return _ball(self.violation(**{name: sp.sympify(x) for name, x in at.items()}))


@dataclass(frozen=True, kw_only=True)
class Diverging(_Moved):
    """A sequence of instances along which left over right exceeds every constant: it refutes "there
    are constants such that left <= constant * right".
    """

    #: Maps n and the names of the point, at least one so that the sequence can be moved, to the
    #: n-th member, a mapping of names to expressions.
    sequence: Callable[..., Mapping[str, Any]]
    #: Maps the names of a member to left over right without the unnamed constants, exactly.
    ratio: Callable[..., Any]
    #: A function ``c * n**p * log(n)**q`` of `n` that tends to infinity and that the ratio is
    #: certified to exceed from the member `least` on.
    exceeds: Any
    least: int = 2

    #: The index of the sequence.
    n = sp.Symbol("n", integer=True, positive=True)

    def shown(self) -> dict[str, Any]:
        """The witness as JSON scalars, with the n-th member and what its ratio exceeds."""
        member = self.sequence(self.n, **{k: sp.sympify(x) for k, x in self.point.items()})
        return {
            **{k: str(x) for k, x in member.items()},
            "left over right exceeds": f"{self.exceeds} for n >= {self.least}",
        }

    def member(self) -> Mapping[str, Any]:
        return self.sequence(self.least, **self.point)

    def faults(self) -> list[str]:
        """Why the sequence refutes too little; empty if it is robust."""
        n, out = self.n, self._ill_typed()
        if out:
            return out
        for k in MEMBERS:
            member = self.sequence(self.least + k, **self.point)
            out += [
                f"member {self.least + k} of the robust sequence is outside {h}"
                for h in unmet(self.hypotheses, member)
            ]
            out += [
                f"member {self.least + k} of the robust sequence has {name} = 0"
                for name, x in member.items()
                if x == 0
            ]
            if member.get("L", 2) < 2:
                out.append(
                    f"member {self.least + k} of the robust sequence has L = {member['L']}; it needs L >= 2"
                )
        if not _diverges(sp.sympify(self.exceeds), n):
            out.append(f"{self.exceeds} is no c n^p log(n)^q that tends to infinity")
        for at in () if out else self._points():
            if wrong := self._outside(at):
                return [f"the robust sequence leaves the hypothesis {wrong[0]} when it moves"]
            member = self.sequence(n, **{k: sp.sympify(x) for k, x in at.items()})
            if wrong := self._left_later(member):
                return [f"the robust sequence was not certified to stay inside {', '.join(wrong)}"]
            ratio = sp.sympify(self.ratio(**member))
            found = forall(ratio, ">=", self.exceeds, {n: Integers(self.least, sp.oo)})
            if not found.verdict.executed:
                where = ", ".join(f"{k} = {v}" for k, v in at.items())
                return [
                    (
                        f"the ratio of the robust sequence was not certified to exceed {self.exceeds} at "
                        f"{where}: {found.verdict}"
                    )
                ]
        return out

    def _outside(self, point: Mapping[str, Any]) -> list[str]:
        return unmet(self.hypotheses, self.sequence(self.least, **point))

    def _left_later(self, member: Mapping[str, Any]) -> list[str]:
        """The inequalities among the hypotheses that were not certified for every member of the
        sequence; those without n were tested at the first one.
        """
        values = {name: sp.sympify(x) for name, x in member.items()}
        always = {self.n: Integers(self.least, sp.oo)}
        return [
            h
            for h in self.hypotheses
            for a, op, b in comparisons(h, values)
            if (a - b).has(self.n) and not forall(a, op, b, always).verdict.executed
        ]


def _speaks_of(hypothesis: str, whole: set[str]) -> bool:
    """Whether a hypothesis is about whole numbers only, which cannot be strictly inside of
    ``d >= 1`` without leaving out d = 1.
    """
    words = {
        w
        for w in "".join(c if c.isalnum() or c == "_" else " " for c in hypothesis).split()
        if not w.isdigit()
    }
    return words - {"in", "Integers"} <= whole


def _diverges(e: sp.Expr, n: sp.Symbol) -> bool:
    c, p, q = (sp.Wild(name, exclude=[n]) for name in "cpq")
    m = e.match(c * n**p * sp.log(n) ** q)
    return (
        bool(m)
        and told(m[c], "positive")
        and all(told(m[r], "nonnegative") for r in (p, q))
        and told(m[p] + m[q], "positive")
    )


def _ball(number: Any) -> arb:
    if isinstance(number, arb):
        return number
    exact = sp.sympify(number)
    if not exact.is_number or exact.has(sp.Float) or exact.is_real is False:
        raise TypeError(
            f"{number!r} is no exact real number; compute the violation with Fractions, SymPy or FLINT"
        )
    return value(exact, 192).real
