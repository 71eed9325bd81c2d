"""How the proofs about sequences ask `forall`: what is affine in an unknown is first bounded by
what the hypotheses say of it, so that most questions have no unknown left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.sequences.forms import SequenceStatement
from numerics.lemmas.sequences.window import Fact, Window
from numerics.provers.enclosures.boxes import Side
from numerics.provers.exact.exact_numbers import put, sign, told
from numerics.provers.inequalities import forall_without_z3
from numerics.provers.statements.statement import Integers
from numerics.rationals import sympy_rational

__all__ = ["Asker", "range_of"]

#: Steps that a question may take, and one without unknowns that decides; questions for one
#: inequality, and bounds tried for an unknown.
FEW_STEPS, MOST_STEPS, MOST_QUESTIONS, MOST_BOUNDS = 60_000, 200_000, 12, 4
#: Longer expressions are not asked about.
MOST_OPERATIONS = 400


def range_of(side: Side) -> Any:
    """The range of a variable as `forall` takes it."""
    lo = -sp.oo if side.lo is None else sympy_rational(side.lo)
    hi = sp.oo if side.hi is None else sympy_rational(side.hi)
    return Integers(lo, hi) if side.integer else sp.Interval(lo, hi, side.lo_open, side.hi_open)


@dataclass
class Asker:
    """Asks `forall` about one statement; `left` is what the last inequality came down to where it
    could not be shown, and `fails_at` the largest index at which that is false; `primitives` and
    `terms` are what is known of the terms of sums.
    """

    st: SequenceStatement
    effort: int
    left: sp.Expr | None = None
    fails_at: int | None = None
    known: dict[Any, Verdict] = field(default_factory=dict)
    questions: int = 0
    few: bool = False
    came_to: sp.Expr = sp.S.Zero
    primitives: dict[Any, Any] = field(default_factory=dict)
    terms: dict[Any, Any] = field(default_factory=dict)

    def shown(self, w: Window, gap: sp.Expr, strict: bool, facts: Sequence[Fact]) -> bool | None:
        """Whether ``gap >= 0`` (``> 0``) follows in the window: True by exact arithmetic, False by
        enclosures, None if it was not shown.
        """
        self.questions, self.left, self.fails_at = 0, None, None
        facts = [f for f in facts if f.gap.count_ops() <= MOST_OPERATIONS]
        exact: list[bool] = []
        for v in w.unknowns:
            gap, facts = self._solved(w, v, gap, facts, exact)
        last = self._eliminated(w, sp.expand(gap), strict, facts)
        return None if last is None else last and all(exact)

    def _solved(
        self, w: Window, v: sp.Symbol, gap: sp.Expr, facts: Sequence[Fact], exact: list[bool]
    ) -> tuple[sp.Expr, list[Fact]]:
        """An unknown that a hypothesis says is equal to something is replaced by that."""
        for f in facts:
            line = _line(f.gap, v) if f.kind == "==" else None
            if line is None or not _newest(v, f.gap, w):
                continue
            if not self._nonzero(w, line[0], facts):
                continue
            exact.append(line[0].is_Rational)
            at = {v: -line[1] / line[0]}
            rest = [Fact(put(g.gap, at), g.kind) for g in facts if g != f]
            return put(gap, at), [g for g in rest if g.gap.free_symbols]
        return gap, list(facts)

    def _eliminated(self, w: Window, gap: sp.Expr, strict: bool, facts: Sequence[Fact]) -> bool | None:
        """The inequality with an unknown less, if that can be bounded, or the question itself."""
        options = []
        for v in w.unknowns:
            line = _line(gap, v)
            if line is None or v not in gap.free_symbols:
                continue
            way = self._sign(w, line[0], facts)
            if way is None:
                continue
            for f in self._bounds(v, way[0], facts)[:MOST_BOUNDS]:
                slope, rest = _line(f.gap, v) or (sp.nan, sp.nan)
                new = _tidy(line[1] - line[0] * rest / slope)
                options.append((len(new.free_symbols & set(w.unknowns)), new.count_ops(), new, line, way, f))
        for *_, new, line, (_, exact), f in sorted(options, key=lambda option: option[:2]):
            # what is strictly better than the bound need only be as good
            firm = strict and not (f.kind == ">" and self._nonzero(w, line[0], facts))
            out = self._eliminated(w, new, firm, [g for g in facts if g != f])
            if out is not None:
                return out and exact
        return self._asked(w, gap, strict, facts)

    def _bounds(self, v: sp.Symbol, side: int, facts: Sequence[Fact]) -> list[Fact]:
        """The hypotheses that bound an unknown from below (1) or from above (-1)."""
        out = []
        for f in facts:
            line = _line(f.gap, v)
            if line is None or f.kind not in (">=", ">", "==") or v not in f.gap.free_symbols:
                continue
            slope = line[0]
            known = next((s for s in (1, -1) if told(s * slope, "positive")), 0)
            if known and (f.kind == "==" or known == side):
                out.append(f)
        return out

    def _nonzero(self, w: Window, slope: sp.Expr, facts: Sequence[Fact]) -> bool:
        if slope.is_number:
            return bool(sign(slope))
        some = facts if slope.free_symbols & set(w.unknowns) else ()
        return any(
            told(s * slope, "positive") or self._ask(w, s * slope, True, some).executed for s in (1, -1)
        )

    def _sign(self, w: Window, slope: sp.Expr, facts: Sequence[Fact]) -> tuple[int, bool] | None:
        """1 where a coefficient is nonnegative, -1 where it is nonpositive on the whole domain, and
        whether that is exact.
        """
        if slope.is_number:
            s = sign(slope)
            return None if s is None else (s or 1, True)
        for some in ((), facts) if slope.free_symbols & set(w.unknowns) else ((),):
            for s in (1, -1):
                if told(s * slope, "nonnegative"):
                    return s, True
                verdict = self._ask(w, s * slope, False, some)
                if verdict.executed:
                    return s, verdict is Verdict.PROVED
        return None

    def _asked(self, w: Window, gap: sp.Expr, strict: bool, facts: Sequence[Fact]) -> bool | None:
        self.questions += 1
        if self.questions > MOST_QUESTIONS:
            return None
        verdict = self._ask(w, gap, strict, facts, last=True)
        self.came_to = gap
        return verdict is Verdict.PROVED if verdict.executed else None

    def _ask(
        self, w: Window, gap: sp.Expr, strict: bool, facts: Sequence[Fact], last: bool = False
    ) -> Verdict:
        if gap.is_Rational:
            return Verdict.PROVED if gap > 0 or (gap == 0 and not strict) else Verdict.REFUTED
        key = (gap, strict, frozenset(facts))
        if key not in self.known:
            deciding = last and not self.few and not gap.free_symbols & set(w.unknowns)
            e = self.answer(w, gap, strict, facts, MOST_STEPS if deciding else FEW_STEPS)
            self.known[key] = Verdict.OPEN if e is None else e.verdict
            at = None if e is None else e.witness.get(w.n.name)
            if last and isinstance(at, int):
                self.fails_at = max(at, self.fails_at or at)
        if last and self.left is None and not self.known[key].executed:
            self.left = gap
        return self.known[key]

    def answer(
        self, w: Window, gap: sp.Expr, strict: bool, facts: Sequence[Fact], steps: int
    ) -> Evidence | None:
        """What `forall` says; None where it refuses the question."""
        about = [Fact(h.form.value, h.kind) for h in self.st.where]
        names, used = _connected(gap, [*about, *facts])
        ranges: Mapping[sp.Symbol, Any] = {
            **w.domain,
            **{x: range_of(self.st.box[x]) for x in self.st.parameters},
            **dict.fromkeys(w.unknowns, sp.S.Reals),
        }
        used += [f for f in about if f not in used]
        names |= set().union(*(f.gap.free_symbols for f in used))
        if gap.count_ops() > MOST_OPERATIONS or not names <= set(ranges):
            return None
        domain = {x: r for x, r in ranges.items() if x in names}
        where = [(f.gap, f.kind, 0) for f in used]
        op = ">" if strict else ">="
        try:
            return forall_without_z3(gap, op, 0, domain, where=where, effort=min(self.effort, steps))
        except (TypeError, ValueError):  # no enclosure, or hypotheses that nothing meets
            return None


def _line(e: sp.Expr, v: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
    """Slope and rest of what is affine in an unknown."""
    if not e.has(v):
        return sp.S.Zero, e
    e = sp.expand(e)
    slope = e.coeff(v)
    rest = sp.expand(e - slope * v)
    return None if rest.has(v) or slope.has(v) else (sp.factor_terms(slope), rest)


def _newest(v: sp.Symbol, gap: sp.Expr, w: Window) -> bool:
    """Whether an unknown is the latest one in a gap."""
    order = w.unknowns
    return all(order.index(v) <= order.index(x) for x in gap.free_symbols & set(order))


def _tidy(e: sp.Expr) -> sp.Expr:
    """Rational functions over one denominator are not needed, but equal terms shall cancel."""
    return sp.expand(e) if e.count_ops() <= MOST_OPERATIONS else e


def _connected(gap: sp.Expr, facts: Sequence[Fact]) -> tuple[set[sp.Symbol], list[Fact]]:
    """The variables of a gap and of the hypotheses that speak of them."""
    names, used = set(gap.free_symbols), []
    more = True
    while more:
        new = [f for f in facts if f not in used and f.gap.free_symbols & names]
        used += new
        names |= set().union(*(f.gap.free_symbols for f in new))
        more = bool(new)
    return names, used
