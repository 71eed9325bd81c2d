"""A statement about sums and sequences as data: expressions in which symbols stand for sums and for
values of sequences, its domain and its hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from numerics.provers.as_written import Condition
from numerics.provers.enclosures.boxes import Side

__all__ = ["Form", "Hypothesis", "SequenceStatement", "Slot", "Total", "Value"]


@dataclass(frozen=True)
class Form:
    """An expression in which symbols stand for sums and values of sequences, and what must hold for
    it to be defined.
    """

    value: sp.Expr
    conditions: tuple[Condition, ...]
    slots: tuple[Slot, ...]

    @property
    def values(self) -> Iterator[Value]:
        """The values of sequences that stand in it outside of sums."""
        return (s for s in self.slots if isinstance(s, Value))

    @property
    def totals(self) -> Iterator[Total]:
        return (s for s in self.slots if isinstance(s, Total))

    @property
    def symbols(self) -> set[sp.Symbol]:
        """Whatever it depends on, also inside sums, but for their own variables and the slots."""
        own = self.value.free_symbols.union(*(g.free_symbols for g, _ in self.conditions))
        return (own - {s.symbol for s in self.slots}).union(*(s.symbols for s in self.slots))

    @property
    def names(self) -> set[str]:
        """The sequences that occur, also inside sums."""
        inner = (t.term.names for t in self.totals)
        return {v.name for v in self.values}.union(*inner)


@dataclass(frozen=True)
class Value:
    """The value of a sequence at an index."""

    symbol: sp.Symbol
    name: str
    index: sp.Expr

    @property
    def symbols(self) -> set[sp.Symbol]:
        return set(self.index.free_symbols)


@dataclass(frozen=True)
class Total:
    """A sum or product over `k` from `lo` to `hi`."""

    symbol: sp.Symbol
    head: Any
    k: sp.Symbol
    lo: sp.Expr
    hi: sp.Expr
    term: Form

    @property
    def symbols(self) -> set[sp.Symbol]:
        return (self.term.symbols - {self.k}) | self.lo.free_symbols | self.hi.free_symbols


Slot = Value | Total


@dataclass(frozen=True)
class Hypothesis:
    """``form >= 0``, ``> 0``, ``== 0`` or ``!= 0``, for every n if it is meant `everywhere`."""

    form: Form
    kind: str
    everywhere: bool


@dataclass(frozen=True)
class SequenceStatement:
    """``small <= big`` (``<`` if strict) for every point of the domain and all sequences that meet
    the hypotheses; `where` speaks of the parameters alone, `written` are all as they were given,
    and `names` are the caller's symbols.
    """

    n: sp.Symbol
    box: Mapping[sp.Symbol, Side]
    names: Mapping[sp.Symbol, sp.Symbol]
    small: Form
    big: Form
    strict: bool
    hypotheses: tuple[Hypothesis, ...]
    where: tuple[Hypothesis, ...]
    written: tuple[Form, ...]
    checked: str
    assumes: tuple[str, ...]
    vacuous: str

    @property
    def side(self) -> Side:
        return self.box[self.n]

    @property
    def first(self) -> int:
        return int(self.side.lo)

    @property
    def last(self) -> int | None:
        return None if self.side.hi is None else int(self.side.hi)

    @property
    def parameters(self) -> tuple[sp.Symbol, ...]:
        return tuple(x for x in self.box if x != self.n)

    @property
    def covered(self) -> str:
        """The domain and the hypotheses in one line."""
        return ", ".join(text.strip("$") for text in self.assumes)

    @property
    def forms(self) -> tuple[Form, ...]:
        return (self.small, self.big, *(h.form for h in self.hypotheses))

    @cached_property
    def sequences(self) -> tuple[str, ...]:
        return tuple(sorted(set().union(*(f.names for f in self.forms))))
