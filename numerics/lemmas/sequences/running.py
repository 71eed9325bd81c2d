"""Sequences that are run from their start: each next value is one that the hypotheses allow, and
the statement is looked at on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from numerics.lemmas.sequences.arithmetic import Arithmetic, NoNumber
from numerics.lemmas.sequences.forms import Form, Hypothesis, SequenceStatement, Slot, Total, Value
from numerics.lemmas.sequences.statement import affine

__all__ = ["Policy", "Run", "largest", "newest", "oldest"]

#: What counts as a violation in floating point, in units of the size of both sides.
CLEARLY = 1e-12
#: No sum of more terms is evaluated.
MOST_TERMS = 30_000
#: Longer hypotheses are not multiplied out.
LONGEST = 200

#: A rule for the next value: an end of what the hypotheses allow, or a number that is moved there.
Rule = str | Fraction


@dataclass(frozen=True)
class Policy:
    """The rule for the first value of each sequence, that for the others, and whether the others
    change their sign in turn.
    """

    first: tuple[Rule, ...]
    later: tuple[Rule, ...]
    alternate: bool = False


def newest(form: Form, n: sp.Symbol) -> int | None:
    """The largest c for which the value of a sequence at ``n + c`` occurs; None if none does."""
    ends = [affine(v.index, n) for v in form.values if v.index.has(n)]
    found = [line[1] for line in ends if line is not None]
    for t in form.totals:
        inner, line = newest(t.term, t.k), affine(t.hi, n)
        if inner is not None and line is not None and line[0] == 1:
            found.append(line[1] + inner)
        elif t.term.names and t.hi.has(n):
            raise ValueError(
                "a hypothesis holds a sum of a sequence whose limit is not n plus a whole number"
            )
    return max(found, default=None)


def oldest(form: Form, env: Mapping[sp.Symbol, int]) -> Iterator[int]:
    """Indices at which sequences are first needed, at the smallest values of the variables."""
    for s in form.slots:
        if isinstance(s, Value):
            yield int(s.index.xreplace({x: sp.Integer(v) for x, v in env.items()}))
        else:
            lo = int(s.lo.xreplace({x: sp.Integer(v) for x, v in env.items()}))
            yield from oldest(s.term, {**env, s.k: lo})


class Run:
    """One run at given parameters, in one arithmetic."""

    def __init__(
        self,
        st: SequenceStatement,
        by: Arithmetic,
        parameters: Mapping[sp.Symbol, Fraction],
        policy: Policy,
    ) -> None:
        self.st, self.by, self.policy = st, by, policy
        self.parameters = {x: by.number(q) for x, q in parameters.items()}
        self.values: dict[tuple[str, int], Any] = {}
        self.sums: dict[sp.Symbol, tuple[int, Any]] = {}
        self.functions: dict[Any, Any] = {}
        self.offsets = [newest(h.form, st.n) for h in st.hypotheses]
        starts = [i for f in st.forms for i in oldest(f, {st.n: st.first})] if st.sequences else [0]
        # a sum that is empty at first says something before its first term
        starts += [st.first + c for c in self.offsets if c is not None]
        self.start = self.next = min(starts, default=0)
        self.made: set[tuple[Hypothesis, int | None]] = set()

    def of(self, e: sp.Expr, form: Form, env: Mapping[sp.Symbol, int]) -> Any:
        """An expression in the symbols of a form."""
        symbols = tuple(sorted(e.free_symbols, key=lambda s: (s.name, s.dummy_index)))
        key = (e, symbols)
        if key not in self.functions:
            self.functions[key] = self.by.function(e, symbols)
        slots = {s.symbol: s for s in form.slots}
        return self.functions[key]([self._symbol(x, slots, env) for x in symbols])

    def _symbol(self, x: sp.Symbol, slots: Mapping[sp.Symbol, Slot], env: Mapping[sp.Symbol, int]) -> Any:
        if x in slots:
            return self._slot(slots[x], env)
        return self.by.number(Fraction(env[x])) if x in env else self.parameters[x]

    def _slot(self, s: Slot, env: Mapping[sp.Symbol, int]) -> Any:
        if isinstance(s, Value):
            key = (s.name, _at(s.index, env))
            if key not in self.values:
                raise NoNumber
            return self.values[key]
        lo, hi = _at(s.lo, env), _at(s.hi, env)
        if hi < lo - 1 or hi - lo > MOST_TERMS:
            raise NoNumber
        fixed = s.lo.is_Integer and not s.term.symbols - {s.k} - set(self.parameters)
        if not fixed:
            return self._terms(s, lo, hi, env, self.by.number(Fraction(s.head is sp.Product)))
        done, total = self.sums.get(s.symbol, (lo - 1, self.by.number(Fraction(s.head is sp.Product))))
        if done > hi:
            done, total = lo - 1, self.by.number(Fraction(s.head is sp.Product))
        total = self._terms(s, done + 1, hi, env, total)
        self.sums[s.symbol] = hi, total
        return total

    def _terms(self, s: Total, lo: int, hi: int, env: Mapping[sp.Symbol, int], total: Any) -> Any:
        for k in range(lo, hi + 1):
            at = {**env, s.k: k}
            if self.by.judges and not self.defined(s.term, at):
                raise NoNumber
            term = self.of(s.term.value, s.term, at)
            total = total + term if s.head is sp.Sum else total * term
        return total

    def defined(self, form: Form, env: Mapping[sp.Symbol, int]) -> bool:
        """Whether a form is surely defined, as it is written."""
        fine = {">": (1,), ">=": (1, 0), "!=": (1, -1)}
        return all(self.by.sign(self.of(g, form, env)) in fine[kind] for g, kind in form.conditions)

    def extend(self, last: int) -> None:
        """Choose the values up to an index; `NoNumber` if the hypotheses leave none."""
        for i in range(self.next, last + 1):
            for place, name in enumerate(self.st.sequences):
                self.values[name, i] = self._chosen(place, name, i)
            for h, m in self._instances(i):
                if not self.met(h, m):
                    raise NoNumber
            self.next = i + 1

    def _instances(self, i: int) -> Iterator[tuple[Hypothesis, int | None]]:
        """The hypotheses, at which index, whose newest value is the one at `i`."""
        for h, offset in zip(self.st.hypotheses, self.offsets):
            if not h.everywhere:
                if largest(h.form, {}) == i:
                    yield h, None
            elif offset is None:  # constant indices beside n
                raise NoNumber
            else:
                m = i - offset
                if m >= self.st.first and (self.st.last is None or m <= self.st.last):
                    yield h, m

    def met(self, h: Hypothesis, m: int | None) -> bool:
        env = {} if m is None else {self.st.n: m}
        if not self.by.judges:
            x = self.of(h.form.value, h.form, env)
            small = 1e-9 * (1 + abs(x))
            return {">=": x >= -small, ">": x > 0, "==": abs(x) <= 1e-6, "!=": x != 0}[h.kind]
        if not self.defined(h.form, env):
            return False
        if (h, m) in self.made:
            return True
        s = self.by.sign(self.of(h.form.value, h.form, env))
        return s in {">=": (0, 1), ">": (1,), "==": (0,), "!=": (1, -1)}[h.kind]

    def _chosen(self, place: int, name: str, i: int) -> Any:
        """The next value of a sequence by its rule."""
        lower: list[Any] = []
        upper: list[Any] = []
        for h, m in self._instances(i):
            env = {} if m is None else {self.st.n: m}
            v = next((v.symbol for v in h.form.values if v.name == name and _at(v.index, env) == i), None)
            if v is None or (line := _line(h.form, v)) is None or not self._known(h.form, env, v):
                continue
            slope, rest = (self.of(e, h.form, env) for e in line)
            s = self.by.sign(slope)
            if abs(s) != 1:
                continue
            bound = -rest / slope
            if h.kind == "==":
                self.made.add((h, m))
                return bound
            if h.kind in (">=", ">"):
                (lower if s > 0 else upper).append((self.by.inside(bound, s > 0), h.kind == ">"))
        rule = (self.policy.first if i == self.start else self.policy.later)[place]
        return self._ruled(rule, lower, upper, i)

    def _known(self, form: Form, env: Mapping[sp.Symbol, int], but: sp.Symbol) -> bool:
        """Whether every value that stands in a form, with one exception, was chosen already."""
        return all(v.symbol == but or (v.name, _at(v.index, env)) in self.values for v in form.values)

    def _ruled(self, rule: Rule, lower: list[Any], upper: list[Any], i: int) -> Any:
        number, sign = self.by.number, self.by.sign
        least = most = None
        for b in lower:
            least = b if least is None or sign(b[0] - least[0]) > 0 or (b[1] and b[0] == least[0]) else least
        for b in upper:
            most = b if most is None or sign(most[0] - b[0]) > 0 or (b[1] and b[0] == most[0]) else most
        if least is not None and most is not None and (least[1] or most[1]):
            middle = (least[0] + most[0]) * number(Fraction(1, 2))
            least, most = (middle, False) if least[1] else least, (middle, False) if most[1] else most
        step = number(Fraction(1, 8))
        low = None if least is None else least[0] + step if least[1] else least[0]
        high = None if most is None else most[0] - step if most[1] else most[0]
        if isinstance(rule, str):
            ends = (high, low) if rule == "upper" else (low, high)
            return next((e for e in ends if e is not None), number(Fraction(0)))
        x = number(-rule if self.policy.alternate and (i - self.start) % 2 else rule)
        if low is not None and sign(low - x) > 0:
            return low
        return high if high is not None and sign(x - high) > 0 else x

    def reach(self, n: int) -> None:
        """Let all values exist that the statement needs at an index."""
        if self.st.sequences:
            last = max(largest(f, {self.st.n: n}) for f in (self.st.small, self.st.big))
            self.extend(max(last, self.start))

    def sides(self, n: int) -> tuple[Any, Any]:
        """Both sides at an index."""
        self.reach(n)
        env = {self.st.n: n}
        small, big = (self.of(f.value, f, env) for f in (self.st.small, self.st.big))
        return small, big

    def fails(self, n: int) -> bool:
        """Whether the statement is false there: surely, if the arithmetic judges."""
        try:
            small, big = self.sides(n)
            s = self.by.sign(big - small)
            if not self.by.judges:
                size = abs(small) + abs(big)
                return big - small < -CLEARLY * size or (self.st.strict and big - small < CLEARLY / 10 * size)
            env = {self.st.n: n}
            well = all(self.defined(f, env) for f in (self.st.small, self.st.big))
        except NoNumber:
            return False
        return well and (s == -1 or (self.st.strict and s == 0))


def _at(e: sp.Expr, env: Mapping[sp.Symbol, int]) -> int:
    """The value of a limit or an index."""
    if e.is_Integer:
        return int(e)
    out = e.xreplace({x: sp.Integer(v) for x, v in env.items()})
    if not out.is_Integer:
        raise NoNumber
    return int(out)


def largest(form: Form, env: Mapping[sp.Symbol, int]) -> int:
    """The largest index that occurs; sequences are needed up to there."""
    found = [-(10**9)]
    for s in form.slots:
        if isinstance(s, Value):
            found.append(_at(s.index, env))
        elif s.term.names:
            found += [largest(s.term, {**env, s.k: k}) for k in {_at(s.lo, env), _at(s.hi, env)}]
    return max(found)


def _line(form: Form, v: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
    """Slope and rest of a hypothesis that is affine in a value."""
    inside = any(v in (s.symbol for s in t.term.slots) for t in form.totals)
    return None if inside else _affine(form.value, v)


@lru_cache(maxsize=10_000)
def _affine(e: sp.Expr, v: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
    e = sp.expand(e) if e.count_ops() < LONGEST else e
    slope = e.coeff(v)
    rest = sp.expand(e - slope * v)
    return None if slope == 0 or rest.has(v) or slope.has(v) else (slope, rest)
