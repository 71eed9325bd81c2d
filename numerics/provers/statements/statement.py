"""A universally quantified inequality as data: variables with their ranges, hypotheses, and the
exact test of what counts as a counterexample. `statement` checks what a caller of `forall` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from numbers import Number
from typing import Any

import sympy as sp
from flint import fmpq

from numerics.evidence import plain
from numerics.provers.as_written import LONGEST, SAME_SIDES, Condition, distinct, latex, scalar, undue
from numerics.provers.enclosures.balls import precision
from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.enclosures.enclose import Program, Unsupported
from numerics.provers.exact.exact_numbers import Undecided, built, put, sign
from numerics.provers.statements.relation import OPS, Relation, hypothesis
from numerics.rationals import flint_rational, sympy_rational

__all__ = ["Closed", "Inequality", "Integers", "Statement", "range_latex", "side_of", "statement"]


@dataclass(frozen=True)
class Integers:
    """The whole numbers from `lo` to `hi`, both included; either may be infinite.

    Examples
    --------
    >>> Integers(1, sp.oo)
    Integers(lo=1, hi=oo)
    """

    lo: Any
    hi: Any = sp.oo

    def __post_init__(self) -> None:
        for end in (self.lo, self.hi):
            if not isinstance(end, (Number, sp.Expr)) or end != end:
                raise TypeError(f"the end {end!r:.200} is no whole number; write one, or oo")


def Closed(lo: Any, hi: Any) -> sp.Interval:
    """The interval from `lo` to `hi` with its finite ends; a plain pair ``(lo, hi)`` leaves them
    out.

    For an interval with one of its ends use SymPy's ``Interval.Lopen`` and ``Interval.Ropen``.

    Examples
    --------
    >>> Closed(0, sp.oo).contains(0)
    True
    """
    if isinstance(lo, str) or isinstance(hi, str):
        raise TypeError(
            f"the ends {lo!r} and {hi!r} are text; write rational numbers, such as Rational(1, 2)"
        )
    try:
        return sp.Interval(lo, hi)
    except (TypeError, ValueError, sp.SympifyError):
        raise TypeError(
            f"the ends {lo!r} and {hi!r} are no real numbers; write rational numbers, such as Rational(1, 2)"
        ) from None


def _end(value: Any, name: Any) -> fmpq | None:
    if isinstance(value, (str, bool)):
        raise TypeError(
            f"the end {value!r} of the range of {name} is no number; write a rational number, such as "
            "Rational(1, 2)"
        )
    try:
        v = sp.sympify(value)
    except (TypeError, ValueError, AttributeError):
        v = None
    if not isinstance(v, sp.Expr):
        raise TypeError(
            f"the end {value!r} of the range of {name} is no number; write a rational number or oo"
        )
    if v in (sp.oo, -sp.oo):
        return None
    if v.has(sp.Float):
        raise TypeError(
            f"the end {v} of the range of {name} is a float; write a rational number, such as Rational(1, 2)"
        )
    if not v.is_Rational:
        raise ValueError(
            f"the end {v} of the range of {name} is not a rational number or oo; state it as a "
            "hypothesis in `where`"
        )
    if max(abs(v.p), v.q).bit_length() > LONGEST:
        raise ValueError(f"an end of the range of {name} has more than {LONGEST} bits; scale the variable")
    return flint_rational(v)


def side_of(name: Any, given: Any) -> Side:
    """The range of one variable, from a pair (open), `Closed`, a SymPy interval or `Integers`; a
    ValueError if it is empty or none of these.
    """
    integer = isinstance(given, Integers) or given in (sp.S.Naturals, sp.S.Naturals0, sp.S.Integers)
    if isinstance(given, tuple) and len(given) == 2:
        lo, hi, left, right = *given, True, True
    elif isinstance(given, Integers):
        lo, hi, left, right = given.lo, given.hi, False, False
    elif isinstance(given, sp.Interval):
        lo, hi, left, right = given.start, given.end, bool(given.left_open), bool(given.right_open)
    elif isinstance(given, sp.FiniteSet) and len(given) == 1:
        lo = hi = next(iter(given))
        left = right = False
    elif given in (sp.S.Naturals, sp.S.Naturals0, sp.S.Integers):
        lo, hi, left, right = given.inf, given.sup, False, False
    elif given == sp.S.Reals:
        lo, hi, left, right = -sp.oo, sp.oo, True, True
    else:
        raise ValueError(
            f"the range {given} of {name} is neither a pair (lo, hi), nor Closed(lo, hi), Integers(lo, "
            "hi) or a SymPy Interval"
        )
    a, b = _end(lo, name), _end(hi, name)
    if (a is None and sp.sympify(lo) == sp.oo) or (b is None and sp.sympify(hi) == -sp.oo):
        raise ValueError(f"the range {given} of {name} is empty")
    if integer:  # whole ends, both attained
        a = None if a is None else fmpq(-((-a.p) // a.q))
        b = None if b is None else fmpq(b.p // b.q)
    if a is not None and b is not None and (a > b or (a == b and (left or right))):
        raise ValueError(f"the range {given} of {name} is empty")
    return Side(a, b, left and a is not None, right and b is not None, integer)


def assumptions(side: Side) -> dict[str, bool]:
    """What SymPy may assume of a symbol with this range."""
    out = {"real": True}
    if side.lo is not None and (side.lo > 0 or (side.lo >= 0 and side.lo_open)):
        out["positive"] = True
    elif side.lo is not None and side.lo >= 0:
        out["nonnegative"] = True
    elif side.hi is not None and (side.hi < 0 or (side.hi <= 0 and side.hi_open)):
        out["negative"] = True
    elif side.hi is not None and side.hi <= 0:
        out["nonpositive"] = True
    return out


def _check_assumptions(s: sp.Symbol, side: Side, given: Any) -> None:
    extra = undue(s, {**assumptions(side), **({"integer": True} if side.integer else {})})
    if extra is not None:
        raise ValueError(
            f"{s} is declared {extra}, which its range {given} does not imply; declare it by its range only"
        )


@dataclass(frozen=True)
class Inequality:
    """``small <= big`` wherever no expression of ``where`` is negative."""

    small: sp.Expr
    big: sp.Expr
    where: tuple[sp.Expr, ...] = ()


@dataclass(frozen=True)
class Statement:
    """``for all variables in box with every hypothesis: big - small >= 0`` (``> 0`` if strict),
    over fresh symbols.

    `names` are the caller's symbols in the order of `symbols`; a hypothesis is a pair (g, strict),
    read ``g >= 0`` or ``g > 0``; `needs` says what must hold for the two sides to be defined, as
    pairs such as ``(g, "!=")``, and `where_needs` the same for the hypotheses; `assumes` has every
    range and hypothesis in LaTeX.
    """

    symbols: tuple[sp.Symbol, ...]
    names: tuple[sp.Symbol, ...]
    box: Box
    small: sp.Expr
    big: sp.Expr
    strict: bool
    where: tuple[tuple[sp.Expr, bool], ...]
    needs: tuple[Condition, ...]
    where_needs: tuple[Condition, ...]
    checked: str
    assumes: tuple[str, ...]
    vacuous: str

    @property
    def covered(self) -> str:
        """The domain in one line."""
        return ", ".join(text.strip("$") for text in self.assumes)

    @cached_property
    def difference(self) -> sp.Expr:
        return self.big - self.small

    @property
    def inequality(self) -> Inequality:
        """The two sides with every hypothesis and range as an expression that is not negative."""
        ranges = (gap for x, side in zip(self.symbols, self.box) for gap in side.gaps(x))
        return Inequality(self.small, self.big, tuple(g for g, _ in (*self.where, *ranges)))

    def point_box(self, point: Iterable[Fraction]) -> Box:
        return tuple(Side(q, q) for q in map(flint_rational, point))

    def meets(self, point: tuple[Fraction, ...]) -> bool:
        """Whether the point surely lies in the domain and meets every hypothesis, which it cannot
        do where the hypothesis is undefined.
        """
        inside = all(s.contains(x) for s, x in zip(self.box, point))
        met = inside and all(self._sign(g, point) >= (1 if strict else 0) for g, strict in self.where)
        return met and self._defined(self.where_needs, point)

    def violated(self, point: tuple[Fraction, ...]) -> str:
        """``"exact"`` or ``"Arb"`` if the point is surely a counterexample, in whichever arithmetic
        shows it; otherwise ``""``.
        """
        broken = self._sign(self.difference, point) in ((-1, 0) if self.strict else (-1,))
        if not (broken and self.meets(point) and self._defined(self.needs, point)):
            return ""
        parts = (self.small, self.big, *(g for g, _ in self.where))
        return "exact" if all(self._exact(e, point) is not None for e in parts) else "Arb"

    def touches(self, point: tuple[Fraction, ...]) -> bool:
        """Whether the two sides are surely equal there."""
        return self._sign(self.difference, point) == 0

    def holds(self, point: tuple[Fraction, ...]) -> bool:
        return self._sign(self.difference, point) in ((1,) if self.strict else (1, 0, 0.5))

    def _defined(self, needs: Iterable[Condition], point: tuple[Fraction, ...]) -> bool:
        """Whether all these conditions surely hold; SymPy's own arithmetic turns ``x/(x + 1/x)``
        into 0 at 0.
        """
        fine = {">": (1,), ">=": (1, 0, 0.5), "!=": (1, -1)}
        return all(self._sign(g, point) in fine[kind] for g, kind in needs)

    def violates(self, e: sp.Expr, point: tuple[Fraction, ...]) -> bool:
        """Whether ``e < 0`` surely, at a point that surely meets every hypothesis."""
        return self._sign(e, point) == -1 and self.meets(point)

    def _sign(self, e: sp.Expr, point: tuple[Fraction, ...]) -> float:
        """-1, 0 or 1 where the sign is sure, 0.5 stands for ``>= 0``; otherwise nan."""
        exact = self._exact(e, point)
        if exact is not None:
            return float(sp.sign(exact))
        try:
            i = self.program.add(e)
        except Unsupported:
            return float("nan")
        for bits in (64, 256, 1024):
            with precision(bits):
                v = self.program.on(self.point_box(point))[i]
            if v.defined and v.pos:
                return 1
            if v.defined and v.neg:
                return -1
            if v.defined and v.nonneg and v.nonpos:
                return 0
        with suppress(Undecided):  # a tie that Arb cannot tell
            if v.defined and (tie := sign(put(e, self._values(point)))) is not None:
                return tie
        return 0.5 if v.defined and v.nonneg else float("nan")

    @cached_property
    def program(self) -> Program:
        return Program(self.symbols)

    def _values(self, point: tuple[Fraction, ...]) -> dict[sp.Expr, sp.Expr]:
        return {s: sympy_rational(x) for s, x in zip(self.symbols, point)}

    def _exact(self, e: sp.Expr, point: tuple[Fraction, ...]) -> sp.Rational | None:
        long = any(max(abs(x.numerator), x.denominator).bit_length() > LONGEST for x in point)
        if long or not _algebraic(e):
            return None
        v = e.xreplace(self._values(point))
        return v if v.is_Rational else None

    def named(self, point: tuple[Fraction, ...]) -> dict[str, int | float | str | bool]:
        """The point under the caller's names, as plain values."""
        return {str(n): plain(x) for n, x in zip(self.names, point)}


@lru_cache(maxsize=10_000)
def _algebraic(e: sp.Expr) -> bool:
    """Whether SymPy's own arithmetic gives the value at a rational point: rational powers, or else
    whole ones with |x|, Max and Min, which compare rational numbers then.
    """
    bends = e.atoms(sp.Abs, sp.Max, sp.Min)
    fine = e.atoms(sp.Function) <= bends and not (bends and e.atoms(sp.NumberSymbol))
    return fine and all(a.exp.is_Integer or (a.exp.is_Rational and not bends) for a in e.atoms(sp.Pow))


def range_latex(s: sp.Symbol, side: Side) -> str:
    """The range of a variable in LaTeX."""
    lo = r"-\infty" if side.lo is None else latex(sympy_rational(side.lo))
    hi = r"\infty" if side.hi is None else latex(sympy_rational(side.hi))
    if side.integer:
        return rf"{latex(s)} \in \{{{lo}, \ldots, {hi}\}}"
    left, right = "[("[side.lo_open or side.lo is None], "])"[side.hi_open or side.hi is None]
    return rf"{latex(s)} \in {left}{lo}, {hi}{right}"


def statement(
    lhs: Any, op: str, rhs: Any, domain: Mapping[sp.Symbol, Any], where: Iterable[Any]
) -> Statement:
    """Check a caller's statement at the door and put it into fresh symbols that assume exactly what
    the domain implies. A float is a TypeError; an operator, range, hypothesis or symbol that is not
    understood, or a symbol that assumes more than its range implies, a ValueError.
    """
    if not isinstance(op, str) or op not in OPS:
        raise ValueError(f"the relation {op!r} is none of {list(OPS)}")
    if not isinstance(domain, Mapping):
        raise TypeError(f"the domain {domain!r} is no mapping; write {{x: (0, 1)}} for each variable x")
    if not isinstance(where, Iterable):
        raise TypeError(f"the hypotheses {where!r} are no list; write [(lhs, op, rhs), ...]")
    goal = Relation(scalar(lhs), op, scalar(rhs))
    hyps = [hypothesis(h) for h in where]
    known = Program(list(domain))
    for written in (t for r in (goal, *hyps) for t in (r.lhs, r.rhs)):
        if written.value.has(sp.I):
            raise ValueError(f"{written.given} is not a real expression")
        unbound = written.given.free_symbols - set(domain)
        if unbound:
            raise ValueError(f"{', '.join(sorted(map(str, unbound)))} has no range; give one in the domain")
        try:
            for e in (written.value, *(g for g, _ in written.conditions), *written.functions):
                known.add(e)
        except Unsupported as fault:
            raise TypeError(
                f"{written.given} cannot be judged: {fault}; rewrite it by exp, log, roots, erf or gamma"
            ) from None
    ranges, fresh, texts = [], [], []
    for s, given in domain.items():
        if not isinstance(s, sp.Symbol):
            raise TypeError(f"the domain's key {s!r} is not a SymPy symbol")
        side = side_of(s, given)
        _check_assumptions(s, side, given)
        ranges.append(side)
        texts.append(range_latex(s, side))
        fresh.append(sp.Dummy(s.name, **assumptions(side)))
    distinct(domain)
    renamed: dict[sp.Expr, sp.Expr] = dict(zip(domain, fresh))

    def replaced(e: sp.Expr) -> sp.Expr:
        """`e` in the fresh symbols; remembered, because conditions repeat what the sides hold."""
        if e not in renamed:
            args = [replaced(a) for a in e.args]
            renamed[e] = e if all(a is b for a, b in zip(args, e.args)) else built(e.func, args)
        return renamed[e]

    def put(e: sp.Expr) -> sp.Expr:
        try:
            return replaced(e)
        except Undecided:
            raise
        except ValueError as fault:  # Max and Min refuse what is not real
            raise ValueError(
                f"{e} is not real everywhere on the domain: {fault}; shrink the domain"
            ) from None

    wanted = []
    for h in hyps:
        for g, strict in h.gaps(put(h.small.value), put(h.big.value)):
            if g.is_Rational and not (g > 0 or (g == 0 and not strict)):
                raise ValueError(f"the hypothesis {h} is false: no point meets the hypotheses")
            if not g.is_Rational:
                wanted.append((g, strict))
    hypotheses = r",\; ".join(h.latex for h in hyps)
    quantified = rf"\forall\, {', '.join(texts)}" if texts else ""
    implied = (hypotheses + r" \implies " if hypotheses else "") + goal.latex
    checked = r":\; ".join(t for t in (quantified, implied) if t)
    assumes = tuple(f"${text}$" for text in (*texts, *(h.latex for h in hyps)))
    vacuous = SAME_SIDES if latex(goal.lhs.given) == latex(goal.rhs.given) else ""
    if any(h.implies(goal) for h in hyps):
        vacuous = "the conclusion is one of the hypotheses"
    # from the expressions as given: with more assumptions SymPy turns 1/sqrt(1/x) into sqrt(x),
    # which is defined at 0 too
    conditions = lambda *relations: tuple(
        dict.fromkeys(
            (put(g), kind) for r in relations for side in (r.small, r.big) for g, kind in side.conditions
        )
    )
    return Statement(
        tuple(fresh),
        tuple(domain),
        tuple(ranges),
        put(goal.small.value),
        put(goal.big.value),
        goal.strict,
        tuple(wanted),
        conditions(goal),
        conditions(*hyps),
        checked,
        assumes,
        vacuous,
    )
