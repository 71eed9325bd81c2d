"""A statement at an index n and at the next ones, as expressions for `forall`: sums are written by
one symbol and the terms that are added to it, values of a sequence by a symbol for each index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from numerics.lemmas.sequences.forms import Form, Hypothesis, SequenceStatement, Total, Value
from numerics.lemmas.sequences.statement import affine
from numerics.provers.as_written import Condition
from numerics.provers.exact.exact_numbers import put
from numerics.provers.statements.statement import Integers

__all__ = ["Anchor", "Fact", "Unsteady", "Window"]

#: Sums of more terms are not written out, and so many terms are added from one index to the next.
MOST_TERMS, MOST_ADDED = 120, 12


class Unsteady(Exception):
    """A statement whose sums do not change in a known way from an index to the next one."""


@dataclass(frozen=True)
class Fact:
    """``gap >= 0``, ``> 0``, ``== 0`` or ``!= 0``."""

    gap: sp.Expr
    kind: str


@dataclass(frozen=True)
class Anchor:
    """The sum (or product) that a symbol stands for: its limits at n, and its terms."""

    symbol: sp.Symbol
    total: Total
    lo: sp.Expr
    hi: sp.Expr
    env: Mapping[sp.Symbol, sp.Expr]


class Window:
    """All expressions that are spoken of at once, for every n from `first` on to `last`, or at the
    single index `first`.
    """

    def __init__(self, st: SequenceStatement, first: int, last: int | None) -> None:
        self.st, self.first, self.last = st, first, last
        self.n = sp.Dummy(st.n.name, integer=True, **({"positive": True} if first > 0 else {}))
        self.domain = {self.n: Integers(first, sp.oo if last is None else last)}
        self.atoms: dict[tuple[str, sp.Expr], sp.Symbol] = {}
        self.anchors: dict[Any, Anchor] = {}
        self.needs: dict[sp.Expr, None] = {}  # factors that products have lost

    @property
    def here(self) -> sp.Expr:
        """The index itself: a number if there is only one."""
        return sp.Integer(self.first) if self.first == self.last else self.n

    @property
    def unknowns(self) -> list[sp.Symbol]:
        """The values of sequences, the latest first, and the sums."""
        key = lambda item: (affine(item[0][1], self.n) or (0, 0), item[0][0])
        values = [v for _, v in sorted(self.atoms.items(), key=key, reverse=True)]
        return values + [a.symbol for a in self.anchors.values()]

    def gap(self, j: int) -> sp.Expr:
        """The larger side minus the smaller one at ``n + j``."""
        env = {self.st.n: self.here + j}
        return self.of(self.st.big, env) - self.of(self.st.small, env)

    def of(self, form: Form, env: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
        """The value of a form, where `env` has n and the variables of the sums around it."""
        return put(form.value, self._values(form, env))

    def conditions(self, form: Form, env: Mapping[sp.Symbol, sp.Expr]) -> list[Condition]:
        values = self._values(form, env)
        return [(put(g, values), kind) for g, kind in form.conditions]

    def _values(self, form: Form, env: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Expr, sp.Expr]:
        return {**env, **{s.symbol: self._slot(s, env) for s in form.slots}}

    def _slot(self, s: Value | Total, env: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
        if isinstance(s, Value):
            key = (s.name, sp.expand(put(s.index, env)))
            if key not in self.atoms:
                self.atoms[key] = sp.Dummy(f"{s.name}({key[1]})".replace("_", ""), real=True)
            return self.atoms[key]
        lo, hi = (sp.expand(put(end, env)) for end in (s.lo, s.hi))
        if lo.is_Integer and hi.is_Integer:
            return self.written_out(s, int(lo), int(hi), env)
        return self._by_anchor(s, lo, hi, env)

    def written_out(self, s: Total, lo: int, hi: int, env: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
        """All terms of a sum, one by one."""
        if hi < lo - 1:
            raise Unsteady(f"a sum runs backwards from {lo} to {hi}")
        if hi - lo + 1 > MOST_TERMS:
            raise Unsteady(f"a sum of {hi - lo + 1} terms would have to be written out")
        terms = [self.of(s.term, {**env, s.k: sp.Integer(k)}) for k in range(lo, hi + 1)]
        return sp.Add(*terms) if s.head is sp.Sum else sp.Mul(*terms)

    def _by_anchor(self, s: Total, lo: sp.Expr, hi: sp.Expr, env: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
        if s.term.symbols - {s.k} - set(self.st.parameters):
            raise Unsteady("the terms of a sum depend on its limit, too")
        below, above = affine(lo, self.n), affine(hi, self.n)
        if below is None or above is None:
            raise Unsteady("a limit of a sum is not a whole multiple of n plus a whole number")
        key = (s.head, s.term.value, below[0], above[0])
        if key not in self.anchors:
            letter = "S" if s.head is sp.Sum else "P"
            symbol = sp.Dummy(f"{letter}_{len(self.anchors) + 1}", real=True)
            self.anchors[key] = Anchor(symbol, s, lo, hi, env)
        anchor = self.anchors[key]
        out = anchor.symbol
        # from the limits of the anchor to these ones, above and below
        for start, by, sign in (
            (anchor.hi + 1, int(hi - anchor.hi), 1),
            (anchor.lo, int(lo - anchor.lo), -1),
        ):
            if abs(by) > MOST_ADDED:
                raise Unsteady(f"a sum changes by {abs(by)} terms at once")
            for i in range(min(by, 0), max(by, 0)):
                at = {**env, s.k: start + i}
                out = self._with(s, out, self.of(s.term, at), sign if by > 0 else -sign)
        return out

    def _with(self, s: Total, out: sp.Expr, term: sp.Expr, sign: int) -> sp.Expr:
        """A sum with a term more (or less)."""
        if s.head is sp.Sum:
            return out + sign * term
        if sign < 0:
            self.needs[term] = None
        return out * term**sign

    def instances(self, span: int) -> list[Fact]:
        """The hypotheses at every index at which they speak of nothing but values that occur
        already; those on sums only at n and the next `span` indices.
        """
        found: dict[Fact, None] = {}
        for h in self.st.hypotheses:
            for m in dict.fromkeys(self._indices(h, span)):
                known = set(self.atoms)
                env = {} if m is None else {self.st.n: m}
                if not self._known(h.form, env):
                    continue
                try:
                    gap, conditions = self.of(h.form, env), self.conditions(h.form, env)
                except Unsteady:
                    continue
                if set(self.atoms) == known:
                    facts = [Fact(gap, h.kind), *(Fact(*c) for c in conditions)]
                    found.update(dict.fromkeys(f for f in facts if f.gap.free_symbols))
                else:
                    self.atoms = {k: v for k, v in self.atoms.items() if k in known}
        return list(found)

    def _known(self, form: Form, env: Mapping[sp.Symbol, sp.Expr]) -> bool:
        return all((v.name, sp.expand(put(v.index, env))) in self.atoms for v in form.values)

    def _indices(self, h: Hypothesis, span: int) -> Iterator[sp.Expr | None]:
        if not h.everywhere:
            yield None
            return
        candidates = [self.here + j for j in range(span + 1)]
        for v in h.form.values:
            line = affine(v.index, self.st.n)
            if line is not None and line[0] == 1:
                candidates += [sp.expand(i - line[1]) for name, i in self.atoms if name == v.name]
        yield from (sp.expand(m) for m in candidates if self._in_range(sp.expand(m)))

    def _in_range(self, m: sp.Expr) -> bool:
        """Whether an index lies in the range of n wherever n does."""
        line = affine(m, self.n)
        if line is None or line[0] < 0:
            return False
        slope, shift = line
        if slope * self.first + shift < self.st.first:
            return False
        if self.st.last is None:
            return True
        return (
            slope * self.last + shift if self.last is not None else sp.oo if slope else shift
        ) <= self.st.last
