"""Proofs about sums and sequences: by induction, with the terms of a sum compared to a difference,
or with a stronger statement in the place of the one to be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from numerics.lemmas.sequences.asking import Asker
from numerics.lemmas.sequences.forms import Form, SequenceStatement, Value
from numerics.lemmas.sequences.statement import affine
from numerics.lemmas.sequences.telescoping import limits, primitives, telescoped, term_signs
from numerics.lemmas.sequences.window import Fact, Unsteady, Window
from numerics.provers.as_written import latex
from numerics.provers.exact.exact_numbers import put, told

__all__ = ["Proof", "Prover"]

#: From how many indices after the first one on the step is tried, with the others one by one.
STARTS = (0, 1, 2, 4, 8, 16, 32)
#: Steps that are false at one index are tried from the next one on, so often and so far.
MOST_RESTARTS, MOST_START = 4, 40
#: After so many questions about bounds that were not decided no further first index is tried.
MOST_UNDECIDED = 2
#: How many functions are tried whose differences bound a sum.
NUMBERS = (1, 5)


@dataclass(frozen=True)
class Proof:
    """A proof in words, and whether all of it is exact."""

    exact: bool
    steps: tuple[str, ...]
    by_induction: bool = True


class Prover:
    """The ways to prove one statement; `reason` says where the last one stopped."""

    def __init__(self, st: SequenceStatement, effort: int) -> None:
        self.st, self.asker, self.reason = st, Asker(st, effort), ""
        self.sign = ">" if st.strict else ">="
        lines = [[affine(v.index, st.n) for v in h.form.values] for h in st.hypotheses]
        shifts = [[line[1] for line in of_one if line and line[0]] for of_one in lines]
        self.order = max([1, *(max(i) - min(i) for i in shifts if i)])

    def decide(self) -> Proof | None:
        """The first proof that is found."""
        for way in (self.by_induction, self.directly, self.one_by_one):
            try:
                proof = way()
                exact = (
                    None
                    if proof is None
                    else self.defined_everywhere(proof.by_induction or self.st.last is None)
                )
            except Unsteady as gap:
                self.reason = self.reason or f"{gap}, so that no induction is known"
                continue
            if proof is not None and exact is not None:
                return Proof(proof.exact and exact, proof.steps, proof.by_induction)
        return None

    def defined_everywhere(self, at_once: bool) -> bool | None:
        """Whether both sides are defined at all indices, by one argument or for each by itself."""
        first, last = self.st.first, self.st.last
        windows = [(first, last)] if at_once or last is None else [(i, i) for i in range(first, last + 1)]
        sides = self.st.small, self.st.big
        found = [self.defined(Window(self.st, *ends), sides) for ends in windows]
        return None if None in found else all(found)

    def defined(
        self, w: Window, forms: Sequence[Form], env: dict[sp.Symbol, sp.Expr] | None = None
    ) -> bool | None:
        """Whether the forms and all terms of their sums are defined in a window (True: exactly)."""
        env = {self.st.n: w.here} if env is None else env
        exact = []
        for form in forms:
            for g, kind in w.conditions(form, env):
                facts, sure = self.facts(w, 0)
                lost = self.without_0(w, facts)
                out = self.asker.shown(w, g, kind != ">=", facts)
                out = self.asker.shown(w, -g, True, facts) if out is None and kind == "!=" else out
                if out is None or lost is None:
                    self.reason = (
                        f"{_plain(g)} {kind} 0 could not be shown, so the statement may be undefined"
                    )
                    return None
                exact += [out, sure, lost]
            for t in form.totals:
                lo, hi = (sp.expand(put(e, env)) for e in (t.lo, t.hi))
                ends = limits(w, lo, hi)
                free = t.term.symbols - {t.k} - set(self.st.parameters)
                if ends is None or any(not env[x].is_Integer for x in free):
                    raise Unsteady("a sum does not change by whole terms from n to n + 1")
                if ends[1] is not None and ends[1] < ends[0]:
                    continue
                inner = Window(self.st, *ends)
                out = self.defined(inner, (t.term,), {**{x: env[x] for x in free}, t.k: inner.here})
                if out is None:
                    return None
                exact.append(out)
        return all(exact)

    def facts(self, w: Window, span: int) -> tuple[list[Fact], bool]:
        """The hypotheses in a window, and the signs of its sums."""
        facts, exact = w.instances(span), True
        for anchor in list(w.anchors.values()):
            for fact, own in term_signs(self.asker, w, anchor):
                facts.append(fact)
                exact = exact and own
        return facts, exact

    def base(
        self, first: int, last: int, g: sp.Expr | None = None, n: sp.Symbol | None = None
    ) -> bool | None:
        """Whether the statement (with `g` to spare) holds at each of these indices."""
        exact = []
        for i in range(first, last + 1):
            w = Window(self.st, i, i)
            gap = w.gap(0) - (put(g, {n: sp.Integer(i)}) if g is not None and n is not None else 0)
            for name in self.st.sequences:
                self._touch(w, name, i)
            out = self.asker.shown(w, gap, self.st.strict and g is None, w.instances(0))
            if out is None:
                self.reason = f"the base at {self.st.n.name} = {i} could not be shown"
                return None
            exact.append(out)
        return all(exact)

    def _touch(self, w: Window, name: str, i: int) -> None:
        """Let the earlier values of a sequence occur, from which recurrences lead to this one."""
        starts = [
            int(v.index)
            for h in self.st.hypotheses
            for v in h.form.values
            if v.name == name and v.index.is_Integer
        ]
        for j in range(min([self.st.first, *starts]), i):
            w._slot(Value(sp.Dummy(), name, sp.Integer(j)), {})

    def step(self, m: int, g: sp.Expr | None = None, n: sp.Symbol | None = None) -> tuple[bool, str] | None:
        """Whether the statement (with `g` to spare) passes on to the next index from `m` on."""
        r = self.order
        last = None if self.st.last is None else self.st.last - r
        if last is not None and last < m:
            return None
        w = Window(self.st, m, last)
        spare = [sp.S.Zero if g is None or n is None else put(g, {n: w.n + j}) for j in range(r + 1)]
        gaps = [w.gap(j) - spare[j] for j in range(r + 1)]
        facts, exact = self.facts(w, r)
        defined = self.without_0(w, facts)
        if defined is None:
            return None
        strict = self.st.strict and g is None
        known = [Fact(gap, ">" if strict else ">=") for gap in gaps[:r]]
        out = self.asker.shown(w, gaps[r], strict, [*known, *facts])
        if out is None:
            return None
        left = _shown(self.asker.came_to, strict)
        return out and exact and defined, f"it comes down to {left}" if left else "equal terms cancel"

    def without_0(self, w: Window, facts: Sequence[Fact]) -> bool | None:
        """Whether no factor is 0 that products have lost."""
        found = [self.asker.shown(w, g**2, True, facts) for g in w.needs]
        return None if None in found else all(found)

    def by_induction(self) -> Proof | None:
        """The step from some index on, and all indices before by themselves."""
        m, name = self.st.first, self.st.n.name
        for _ in range(MOST_RESTARTS):
            out = self.step(m)
            if out is not None:
                base = self.base(self.st.first, m + self.order - 1)
                if base is None:
                    return None
                return Proof(
                    base and out[0],
                    (self._base_words(m), f"step from ${name} \\ge {m}$ to the next: {out[1]}"),
                )
            if m == self.st.first and (proof := self.strengthened(m)) is not None:
                return proof
            at = self.asker.fails_at
            if at is None or not m <= at < self.st.first + MOST_START:
                break
            m = at + 1
        left = _shown(self.asker.left, self.st.strict)
        self.reason = f"the step from ${name}$ to the next index could not be shown: what is left is {left}"
        return None

    def _base_words(self, m: int) -> str:
        name, last = self.st.n.name, m + self.order - 1
        places = (
            f"{name} = {self.st.first}"
            if last == self.st.first
            else f"{name} = {self.st.first}, \\ldots, {last}"
        )
        return f"base: ${places}$"

    def strengthened(self, m: int) -> Proof | None:
        """The same with something to spare that shrinks as fast as what is missing in a step."""
        left, name = self.asker.left, self.st.n.name
        n = next((x for x in left.free_symbols if x.name == name), None) if left is not None else None
        if left is None or n is None:
            return None
        for big in list(primitives(-left, n))[:3]:
            g = -put(big, {n: n - 1})
            w = Window(self.st, m, self.st.last)
            sure = self.asker.shown(w, put(g, {n: w.n}), self.st.strict, ())
            if sure is None:
                continue
            out = self.step(m, g, n)
            for start in (m + s for s in STARTS) if out is not None else ():
                base = self.base(start, start + self.order - 1, g, n)
                if base is None:
                    continue
                before = self.base(self.st.first, start - 1)
                if before is not None and out is not None:
                    words = f"with ${latex(g)}$ to spare, from ${name} = {start}$ on"
                    steps = (
                        self._base_words(start),
                        f"step from ${name} \\ge {m}$ to the next, {words}: {out[1]}",
                    )
                    return Proof(sure and base and before and out[0], steps)
        self.asker.left = left
        return None

    def directly(self) -> Proof | None:
        """By bounds of the sums, from some index on; by the likeliest ones first."""
        return next((p for most in NUMBERS if (p := self._by_bounds(most)) is not None), None)

    def _by_bounds(self, most: int) -> Proof | None:
        undecided = 0
        for m in self._starts():
            w = Window(self.st, m, self.st.last)
            gap = w.gap(0)
            facts, exact = self.facts(w, 0)
            defined = self.without_0(w, facts)
            if defined is None:
                continue
            bounds = [
                b
                for a in list(w.anchors.values())
                for b in telescoped(self.asker, w, a, _directions(gap, a.symbol), most)
            ]
            if not bounds and m > self.st.first:
                return None
            out = self.asker.shown(w, gap, self.st.strict, [*(b[0] for b in bounds), *facts])
            if out is None:
                undecided += self.asker.fails_at is None
                if undecided >= MOST_UNDECIDED:
                    return None
                continue
            came_to = _shown(self.asker.came_to, self.st.strict)
            before = self.base(self.st.first, m - 1)
            if before is not None:
                first = (f"${self.st.n.name} < {m}$ one by one",) if m > self.st.first else ()
                words = tuple(b[2] for b in bounds)
                exact = exact and defined and out and before and all(b[1] for b in bounds)
                return Proof(exact, (*first, *words, f"it comes down to {came_to}"), bool(bounds))
        return None

    def one_by_one(self) -> Proof | None:
        """All of finitely many indices."""
        st = self.st
        if st.last is None or st.last - st.first > MOST_START:
            return None
        reason = self.reason
        exact = self.base(st.first, st.last)
        self.reason = reason if exact is None else ""
        return None if exact is None else Proof(exact, (f"every ${st.n.name}$ by itself",), False)

    def _starts(self) -> Iterator[int]:
        last = self.st.last
        yield from (m for m in (self.st.first + s for s in STARTS) if last is None or m <= last)


def _directions(gap: sp.Expr, v: sp.Symbol) -> tuple[int, ...]:
    """From which side a sum must be bounded: 1 from above, -1 from below."""
    slope = sp.expand(gap).coeff(v)
    return (1,) if told(-slope, "positive") else (-1,) if told(slope, "positive") else (1, -1)


def _plain(e: sp.Expr) -> str:
    return str(e).replace("_", "")


def _shown(gap: sp.Expr | None, strict: bool) -> str:
    if gap is None:
        return "more than can be asked"
    op = ">" if strict else r"\ge"
    return "" if gap.is_Rational else f"${latex(gap)} {op} 0$"
