"""A lemma as text, and who judges it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, all_of, as_one
from numerics.lemmas.asymptotics.constants import exist_together, exists
from numerics.lemmas.asymptotics.limits import limit
from numerics.lemmas.asymptotics.orders import order
from numerics.lemmas.every import forall
from numerics.lemmas.laws.words import Iid
from numerics.lemmas.matrices.heads import Matrices
from numerics.lemmas.text.clauses import Clauses, clauses
from numerics.lemmas.text.expressions import CONSTANTS, HEADS, Builder
from numerics.lemmas.text.formulas import Call, Formula, Name, Relation, named, relation
from numerics.lemmas.text.tokens import Tokens, short, unread
from numerics.provers import Integers
from numerics.provers.statements.statement import assumptions, side_of
from theory.inputs.kinds import check_kind

__all__ = ["Lemma", "lemma", "read_lemma"]

ORDERS = ("O", "Omega", "Theta")
#: Names of functions, so that no sequence is called so.
_SPOKEN = frozenset(name.lower() for name in HEADS)
_NOT_READ = (
    *("log2", "log10", "lg", "sgn", "sign", "sec", "csc", "cot", "coth", "sech", "csch", "zeta", "beta"),
    *("mod", "gcd", "lcm"),
)
_BACKWARDS = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "==", "!=": "!="}
_KINDS = {
    "psd": Matrices.PSD,
    "definite": Matrices.DEFINITE,
    "symmetric": Matrices.SYMMETRIC,
    "matrix": Matrices.ANY,
}


def lemma(
    text: str, *, numbers: Mapping[str, int | Fraction | str] | None = None, effort: int = 1_000_000
) -> Evidence:
    """Judge a lemma that is written as text.

    Parameters
    ----------
    text : str
        The statement, with the ranges of its variables behind it: ``f <= g for x > 0``. The grammar
        stands in docs/guide/lemmas.md; the text is read by it and never evaluated.
    numbers : Mapping, optional
        Values of names that stand for numbers.
    effort : int
        Steps of each prover, as in `forall`.

    Returns
    -------
    Evidence
        What `forall`, `exists`, `order` or `limit` says.

    Raises
    ------
    TypeError
        If the text is none, or a number is a float.
    ValueError
        If the text cannot be read, with the place; or as `forall`.

    Examples
    --------
    >>> lemma("ln(1+x) <= x for x > -1").verdict.value
    'CERTIFIED'
    >>> dict(lemma("exp(-x) <= 4/x^4 for x > 0").witness)
    {'x': 3}
    """
    return read_lemma(text, numbers).judge(effort)


@dataclass(frozen=True)
class Lemma:
    """A text that was read: its parts, and the engine that judges them."""

    text: str
    judge: Callable[[int], Evidence]
    #: The relations that make the statement, where it is one; shown and tried by whoever wants to.
    relations: tuple[tuple[Any, str, Any], ...] = ()
    domain: Mapping[Any, Any] = field(default_factory=dict)
    where: tuple[Any, ...] = ()


def read_lemma(text: str, numbers: Mapping[str, int | Fraction | str] | None = None) -> Lemma:
    """Read a lemma and judge nothing."""
    check_kind(str, text=text)
    check_kind(Mapping, numbers={} if numbers is None else numbers)
    t = Tokens(text)
    tends = t.words("lim")
    first: Relation = relation(t)
    reader = _Reader(text, first, clauses(t), {n: _exact(n, v) for n, v in (numbers or {}).items()})
    if tends:
        return reader.limit()
    return reader.statement() if reader.compared is None else reader.order(reader.compared)


def _exact(name: str, value: Any) -> sp.Rational:
    check_kind(str, name=name)
    if isinstance(value, bool) or not isinstance(value, (int, Fraction, str, sp.Rational)):
        raise TypeError(
            f"the number {name} = {value!r} is not exact; write a Fraction, a whole number or a text"
        )
    with suppress(TypeError, ValueError, ZeroDivisionError):
        if not isinstance(value, str) or short(value):
            return sp.Rational(value)
    raise ValueError(f"the number {name} = {value!r:.200} cannot be read; write it as '3/4' or '0.75'")


class _Reader:
    """The parts of a lemma as SymPy expressions with a domain."""

    def __init__(
        self, text: str, says: Relation, behind: Clauses, numbers: Mapping[str, sp.Rational]
    ) -> None:
        self.text, self.says, self.behind, self.numbers = text, says, behind, numbers
        self.constants = [name.text for name in behind.constants]
        self.sized = {n.text for g in behind.groups if g.size for n in g.names}
        self.samples = frozenset(n.text for g in behind.groups if g.copies is not None for n in g.names)
        called: set[str] = set().union(*(named(r, called=True) for r in behind.given))
        self.sequences = frozenset(called - HEADS)
        self._one_meaning()
        self.builder = Builder(text, dict(numbers), self.sequences, self.samples)
        self.bounds: dict[str, _Range] = {}
        self.hypotheses: list[tuple[Formula, str, Formula]] = []
        self._read_ranges()
        self.domain: dict[Any, Any] = {}
        self._name_variables()
        with sp.evaluate(False):  # what SymPy cancels has to be defined all the same
            self.where = tuple((self.builder(a), op, self.builder(b)) for a, op, b in self.hypotheses)
            self.sides = tuple(map(self.builder, says.sides if self.compared is None else ()))

    @property
    def compared(self) -> Call | None:
        """What stands on the right of an order."""
        last = self.says.sides[-1]
        if self.says.signs == ("==",) and isinstance(last, Call) and last.head in ORDERS:
            return last
        return None

    def _one_meaning(self) -> None:
        for name in self.numbers:
            self._own(name, "one of the numbers=", 1)
        for name in self.constants:
            self._own(name, "a constant that exists", 2)
        for name in self.sequences:
            if len(name) > 1 and (name.lower() in _SPOKEN or name in _NOT_READ):
                raise ValueError(
                    f"the function {name} in {self.text!r} is not read; the guide has their names"
                )
        tends = [name.text for name, _, _ in self.behind.regime]
        names = [n.text for g in self.behind.groups for n in g.names]
        once = [n for n in names if n in {*self.sized, *self.samples}]
        for said, what in ((tends, "tends to two limits"), (once, "is said to be two things")):
            if twice := [n for n in said if said.count(n) > 1]:
                raise ValueError(f"{twice[0]} {what} in {self.text!r}; say one of them")

    def _own(self, name: str, what: str, others: int = 3) -> None:
        """Refuse a name that has one of the first of these meanings beside its own."""
        meanings: tuple[tuple[Collection[str], str], ...] = (
            (CONSTANTS, "the name of a number"),
            (self.numbers, "among the numbers= that are given"),
            (self.constants, "a constant that exists, and has no range"),
        )
        for names, other in meanings[:others]:
            if name in names:
                raise ValueError(
                    f"{name} is {other}, and {what} in {self.text!r}; call one of the two otherwise"
                )

    def _range(self, name: str) -> _Range:
        """The range of a variable, so far."""
        self._own(name, "a variable")
        return self.bounds.setdefault(name, _Range())

    def _read_ranges(self) -> None:
        said = {n.text for g in self.behind.groups for n in g.names}
        if unsaid := [n for n in self.behind.beside if n not in {*said, *self.numbers, *CONSTANTS}]:
            k = unsaid[0]
            raise ValueError(f"is {k} whole in {self.text!r}? Write 'whole {k}' or 'real {k}' as well")
        for group in self.behind.groups:
            if bool(group.size) != (group.kind in _KINDS):
                raise ValueError(
                    f"{group.names[0].text} is {group.kind} in {self.text!r}; write psd, definite, "
                    "symmetric or matrix before its name, and 'of size 2' behind it"
                )
            if len(group.size) > 1 and group.kind != "matrix":
                raise ValueError(
                    f"{group.kind} {group.names[0].text} is square in {self.text!r}; give one size"
                )
            for name in group.names:
                own = self._range(name.text)
                own.whole |= group.kind == "whole"
                if group.interval is not None:
                    opening, low, high, closing = group.interval
                    own.above(self._end(low, name), opening == "(")
                    own.below(self._end(high, name), closing == ")")
        for r in self.behind.bounds:
            for (a, b), op in zip(pairwise(r.sides), r.signs):
                if not (self._bounded(a, op, b) or self._bounded(b, _BACKWARDS[op], a)):
                    self.hypotheses.append((a, op, b))
                    for free in (named(a) | named(b)) - set(self.numbers) - set(CONSTANTS):
                        self._range(free)
        for name, to, side in self.behind.regime:
            own = self._range(name.text)
            if side:
                (own.above if side == "+" else own.below)(self._end(to, name), True)
        for r in self.behind.given:
            self.hypotheses += [(a, op, b) for (a, b), op in zip(pairwise(r.sides), r.signs)]

    def _end(self, f: Formula, name: Name) -> sp.Expr:
        value = self.builder.number(f)
        if value is None:
            unread(
                self.text,
                name.place,
                f"an end of the range of {name.text} is no rational number; give it behind given",
            )
        return value

    def _bounded(self, a: Formula, op: str, b: Formula) -> bool:
        """Whether a relation bounds one variable by a rational number, which its range has then."""
        if not isinstance(a, Name) or a.text in {*self.numbers, *self.sized} or op in ("==", "!="):
            return False
        value = self.builder.number(b)
        if value is None:
            return False
        own = self._range(a.text)
        (own.below if op[0] == "<" else own.above)(value, op in ("<", ">"))
        return True

    def _name_variables(self) -> None:
        values: dict[str, Any] = dict(self.numbers)
        grouped = {n.text: g for g in self.behind.groups for n in g.names}
        for name in self.constants:
            values[name] = sp.Symbol(name, positive=True)
        for name, own in self.bounds.items():
            group = grouped.get(name)
            if (group and (group.size or group.copies is not None)) or name in self.constants:
                continue
            given = own.given()
            integer = {"integer": True} if own.whole else {}
            values[name] = sp.Symbol(name, **assumptions(side_of(name, given)), **integer)
            self.domain[values[name]] = given
        builder = Builder(self.text, values, self.sequences, self.samples)
        for name, group in grouped.items():
            with sp.evaluate(False):
                sizes = [builder(f) for f in (*group.size, *([group.copies] if group.copies else []))]
            if other := [s for s in sizes if s.is_number and not s.is_Integer]:
                raise ValueError(
                    f"the size {other[0]} of {name} in {self.text!r} is not whole; give a whole one"
                )
            if group.size:
                values[name] = sp.MatrixSymbol(name, sizes[0], sizes[-1])
                self.domain[values[name]] = _KINDS[group.kind]
            elif group.copies is not None:
                values[name] = sp.Symbol(name, real=True)
                law = "normal" if group.normal else None
                self.domain[values[name]] = Iid(sizes[0], on=self.bounds[name].given(), law=law)
        size = next((v.shape[0] for v in values.values() if isinstance(v, sp.MatrixSymbol)), None)
        self.builder = Builder(self.text, values, self.sequences, self.samples, size)

    def statement(self) -> Lemma:
        """One relation after another, for every point or with constants that exist."""
        if self.behind.regime and not self.constants:
            raise ValueError(f"{self.text!r} says where something tends to; write lim, O(...) or for some C")
        if "!=" in self.says.signs:
            raise ValueError(f"{self.text!r} says that two sides differ; write < or >, or n! = with a blank")
        pairs = tuple((a, op, b) for (a, b), op in zip(pairwise(self.sides), self.says.signs))

        def judge(effort: int) -> Evidence:
            several = self._shared(pairs)
            found = [self._judged(a, op, b, effort) for a, op, b in pairs if (a, op, b) not in several]
            if several:
                found.append(self._together(several, effort))
            return found[0] if len(found) == 1 else all_of(*found)

        return Lemma(self.text, judge, pairs, self.domain, self.where)

    @property
    def _unknown(self) -> tuple[Any, ...]:
        return tuple(self.builder.values[name] for name in self.constants)

    def _shared(self, pairs: tuple[tuple[Any, str, Any], ...]) -> list[tuple[Any, str, Any]]:
        """The relations of a chain that speak of constants, which are the same in all of them."""
        found = [p for p in pairs if any(sp.sympify(e).has(c) for e in (p[0], p[2]) for c in self._unknown)]
        return found if len(found) > 1 else []

    def _together(self, several: list[tuple[Any, str, Any]], effort: int) -> Evidence:
        return exist_together(self._unknown, several, self.domain, self.where, self._regime(), effort)

    def _judged(self, a: Any, op: str, b: Any, effort: int) -> Evidence:
        if self.constants:
            regime = self._regime() or None
            return exists(
                self._unknown, a, op, b, self.domain, where=self.where, regime=regime, effort=effort
            )
        if op == "==" and not self.sized:
            return as_one(*(self._judged(a, one, b, effort) for one in ("<=", ">=")))
        return forall(a, op, b, self.domain, where=self.where, effort=effort)

    def _regime(self) -> dict[Any, Any]:
        return {self.builder(name): self.builder(to) for name, to, _ in self.behind.regime}

    def order(self, said: Call) -> Lemma:
        """``f = O(g) as n -> oo``."""
        if self.constants:
            raise ValueError(f"{self.text!r} has a constant beside {said.head}; write one of the two")
        if len(said.args) != 1:
            raise ValueError(
                f"{said.head} has one argument in {self.text!r}; write {said.head}(n + m) of a sum"
            )
        with sp.evaluate(False):
            f, g = self.builder(self.says.sides[0]), self.builder(said.args[0])
        regime = self._regime()
        return Lemma(
            self.text,
            lambda effort: order(
                f, said.head, g, regime, domain=self.domain, where=self.where, effort=effort
            ),
        )

    def limit(self) -> Lemma:
        """``lim f = c as x -> a``."""
        if len(self.behind.regime) != 1 or self.says.signs != ("==",) or self.constants:
            raise ValueError(f"{self.text!r} is no limit; write 'lim f = c as x -> oo'")
        (name, to, side), (f, value) = self.behind.regime[0], self.sides
        x = self.builder(name)
        return Lemma(
            self.text,
            lambda effort: limit(
                f, x, self.builder(to), value, domain=self.domain, where=self.where, side=side, effort=effort
            ),
        )


@dataclass
class _Range:
    """What bounds one variable, so far."""

    low: Any = -sp.oo
    high: Any = sp.oo
    low_open: bool = True
    high_open: bool = True
    whole: bool = False

    def above(self, end: Any, strict: bool) -> None:
        if end > self.low or (end == self.low and strict):
            self.low, self.low_open = end, strict

    def below(self, end: Any, strict: bool) -> None:
        if end < self.high or (end == self.high and strict):
            self.high, self.high_open = end, strict

    def given(self) -> Any:
        """The range as `forall` takes it."""
        if self.whole:
            low = sp.floor(self.low) + 1 if self.low_open and self.low.is_finite else self.low
            high = sp.ceiling(self.high) - 1 if self.high_open and self.high.is_finite else self.high
            return Integers(low, high)
        found = sp.Interval(self.low, self.high, self.low_open, self.high_open)
        if found is sp.S.EmptySet:
            raise ValueError(f"no number lies between {self.low} and {self.high}; correct the range")
        return found
