"""Inequalities from the sign of a derivative. On the segment from a base to any other value of one
variable, a function that is nonnegative at the base and whose slope points away from it stays
nonnegative; and a function that first rises and then falls is least at the ends of its range.
Derivatives of logarithms and of inverse functions are algebraic, so that after a few of them exact
arithmetic decides.

Nothing is believed of what is differentiated: that it is defined and continuous on the segments,
that its derivative is defined inside, and that a multiplier is positive are tasks of the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import sympy as sp
from flint import fmpq

from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.where_defined import conditions
from numerics.provers.exact.exact_numbers import put
from numerics.provers.exact.leading import limit
from numerics.provers.statements.branch import Task
from numerics.provers.statements.equivalent_forms import bare
from numerics.provers.statements.sample import Sample
from numerics.provers.statements.slopes import derivative
from numerics.rationals import flint_rational, sympy_rational

__all__ = ["Argument", "arguments"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]
Shown = Callable[[Task], bool]

#: Expressions with more operations are not differentiated, or not factored.
LONGEST, LONGEST_FACTORED = 150, 60
#: Values inside a range from which slopes are followed.
INSIDE = tuple(map(sp.Rational, ("0", "1", "-1", "1/2")))
#: Functions without a derivative somewhere.
BENT = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.Piecewise)
#: Functions that a division by their coefficient lets a derivative remove.
REMOVED = (sp.log, sp.exp, sp.erf, sp.erfc, sp.atan, sp.asin, sp.acos, sp.asinh, sp.atanh)
#: The end of no segment.
NO_NUMBER = (sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I, sp.AccumBounds)


@dataclass(frozen=True)
class Argument:
    """Tasks that together imply another one, the hardest first, and why, in words and LaTeX."""

    tasks: tuple[Task, ...]
    words: tuple[str, ...]

    @property
    def size(self) -> tuple[bool, int]:
        """Arguments that leave something rational are tried first, then short ones."""
        (e,) = self.tasks[0].alternatives
        return not e.is_rational_function(*self.tasks[0].symbols), e.count_ops()


def _argument(tasks: Iterable[Task], *words: str) -> Argument:
    """Without tasks that are trivial or said twice."""
    kept: dict[object, Task] = {}
    for n, t in enumerate(tasks):
        plain = (bare(e) for e in t.alternatives)
        if n == 0 or not any(e.is_Rational and (e > 0 or (e == 0 and not t.strict)) for e in plain):
            kept.setdefault((*t.alternatives, t.box, t.where, t.strict), t)
    return Argument(tuple(kept.values()), words)


@dataclass(frozen=True)
class _Writing:
    """An expression with the sign of another one wherever the multipliers are positive."""

    f: sp.Expr
    positive: tuple[sp.Expr, ...] = ()


@dataclass(frozen=True)
class _Segment:
    """The values of one variable on one side (`way`) of a base, which may be infinite."""

    at: sp.Expr
    way: int


def arguments(task: Task, shown: Shown) -> Iterator[Argument]:
    """Arguments for a task with one alternative. `shown` proves small auxiliary tasks."""
    (e,) = task.alternatives
    for w in _writings(e, Sample(task)):
        for i, x in enumerate(task.symbols):
            if not w.f.has(x) or w.f.count_ops() > LONGEST or any(b.has(x) for b in w.f.atoms(*BENT)):
                continue
            d = bare(derivative(w.f, x, {}))
            sides = [_Side(task, w.f, i, s, shown) for s in _segments(task, i, d)]
            for pieces in _starts(sides):
                yield from _away(task, w, d, pieces)
            yield from _rises_and_falls(task, w, d, sides)


def _writings(e: sp.Expr, sample: Sample) -> Iterator[_Writing]:
    """`e` in forms from which a derivative removes a function: without denominators, divided by the
    coefficient of a logarithm or another function, or as a difference of logarithms.
    """
    first = [_Writing(bare(e))]
    n, d = sp.fraction(sp.together(e))
    if d != 1 and e.count_ops() <= LONGEST and (s := sample.sign(d)):
        n = sp.factor(n) if n.count_ops() <= LONGEST_FACTORED else n
        parts = {p: sample.sign(p) for p in sp.Mul.make_args(n)}
        signed = [p * k for p, k in parts.items() if k and p.free_symbols]
        rest = sp.Mul(s, *(p if not k or not p.free_symbols else k for p, k in parts.items()))
        first.append(_Writing(rest, (s * d, *signed)))
    seen = set()
    for w in first:
        flat = sp.expand(w.f)
        more = [w]
        for t in sorted(flat.atoms(*REMOVED), key=sp.default_sort_key):
            c = flat.coeff(t)
            rest = sp.expand(flat - c * t)
            if c == 0 or not t.free_symbols or c.has(t) or rest.has(t):
                continue
            s = sample.sign(c)
            if s and c.free_symbols:
                more.append(_Writing(s * t + s * _quotient(rest, c), (*w.positive, s * c)))
            if isinstance(t, sp.exp) and s and sample.sign(rest) == -s:
                logs = s * (t.args[0] + sp.log(s * c) - sp.log(-s * rest))
                more.append(_Writing(logs, (*w.positive, s * c, -s * rest)))
        for v in more:
            if v.f not in seen and v.f.free_symbols and not v.f.has(*NO_NUMBER):
                seen.add(v.f)
                yield v


def _quotient(e: sp.Expr, c: sp.Expr) -> sp.Expr:
    """A sum over `c`, term by term, the rational ones in lowest terms."""
    terms = (t / c for t in sp.Add.make_args(e))
    return sp.Add(*(sp.cancel(t) if t.is_rational_function() and t.count_ops() < 30 else t for t in terms))


def _segments(task: Task, i: int, d: sp.Expr) -> list[_Segment]:
    """From where to follow variable `i`: ends of its range, roots of hypotheses, another variable,
    zeros of the slope, simple numbers.
    """
    x, side = task.symbols[i], task.box[i]
    out = [_Segment(-sp.oo if side.lo is None else sympy_rational(side.lo), 1)]
    out += [_Segment(sp.oo if side.hi is None else sympy_rational(side.hi), -1)]
    for g, _ in task.where:
        root, c = _root(g, x)
        if root is not None and (c.is_positive or c.is_negative):
            out.append(_Segment(root, 1 if c.is_positive else -1))
    both: list[sp.Expr] = [y for y in task.symbols if y != x]
    if d.is_rational_function(*task.symbols) and d.count_ops() <= LONGEST_FACTORED:
        numerator = sp.fraction(sp.together(d))[0]
        roots = (_root(p, x) for p in sp.Mul.make_args(sp.factor(numerator)))
        both += [r for r, c in roots if r is not None and c.is_nonzero]
    both += [q for q in INSIDE if side.contains(flint_rational(q)) and q not in (side.lo, side.hi)]
    out += [_Segment(at, way) for at in both for way in (1, -1)]
    return list(dict.fromkeys(out))


def _root(g: sp.Expr, x: sp.Symbol) -> tuple[sp.Expr | None, sp.Expr]:
    """Where an expression that is affine in `x` vanishes, and its slope."""
    c = sp.expand(g).coeff(x) if g.has(x) else sp.S.Zero
    rest = sp.expand(g - c * x)
    return (sp.cancel(-rest / c), c) if c != 0 and not c.has(x) and not rest.has(x) else (None, c)


class _Side:
    """One segment with what has to be shown there of a function `f`."""

    def __init__(self, task: Task, f: sp.Expr, i: int, segment: _Segment, shown: Shown) -> None:
        self.task, self.f, self.i, self.shown = task, f, i, shown
        self.x, self.at, self.way = task.symbols[i], segment.at, segment.way
        beyond = self.way * (self.x - self.at)
        self.empty = not self.at.is_infinite and any(_same(g, -beyond) for g, _ in task.where)
        self.there: list[tuple[sp.Expr, bool]] = []  # what holds at the base
        self.where = tuple(h for h in (*task.where, *task.known) if self._stays(*h))
        side = replace(task.box[i], integer=False)
        if self.at.is_Rational:
            q = flint_rational(self.at)
            up = self.way > 0
            side = Side(*((q, side.hi, True, side.hi_open) if up else (side.lo, q, side.lo_open, True)))
            self.empty = self.empty or (not side.infinite and side.lo >= side.hi)
        elif not self.at.is_infinite:
            self.where = (*self.where, (beyond, True))
        self.box = (*task.box[:i], side, *task.box[i + 1 :])

    def _stays(self, g: sp.Expr, strict: bool) -> bool:
        """Whether a hypothesis holds on the whole segment: it does not speak of the variable, or it
        is concave in it and holds at the base, too.
        """
        if not g.has(self.x):
            self.there.append((g, strict))
            return True
        poly = g.as_poly(self.x)
        if poly is None or poly.degree() > 2 or any(c.has(self.x) for c in poly.all_coeffs()):
            return False
        if self.at.is_infinite:  # an affine function that rises on the way there
            return poly.degree() == 1 and bool((poly.LC() * -self.way).is_nonnegative)
        there = _value(g, {self.x: self.at})
        if there is None or (poly.degree() == 2 and not poly.LC().is_nonpositive):
            return False
        if not there.is_nonnegative and not self.shown(replace(self.task, alternatives=[there], strict=False)):
            return False
        self.there.append((there, False))
        return True

    @property
    def attained(self) -> bool:
        """Whether the base may be a value of the variable."""
        if self.at.is_Rational:
            return self.task.box[self.i].contains(flint_rational(self.at))
        beyond = self.way * (self.x - self.at)
        return not self.at.is_infinite and not any(s and _same(g, beyond) for g, s in self.task.where)

    def on(self, e: sp.Expr, strict: bool) -> Task:
        """The task ``e >= 0`` on the segment without its base."""
        t = self.task
        return Task(t.symbols, self.box, [e], strict, self.where, depth=t.depth + 1)

    def base(self, strict: bool) -> list[Task] | None:
        """That `f` is nonnegative at the base, by its value or its limit there; None if neither is
        known.
        """
        t, i = self.task, self.i
        others, box = (*t.symbols[:i], *t.symbols[i + 1 :]), (*t.box[:i], *t.box[i + 1 :])
        where = tuple(h for h in self.there if h[0].free_symbols)
        there = lambda e, firm: Task(others, box, [e], firm, where, depth=t.depth + 1)
        here = {self.x: self.at}
        if not self.at.is_infinite:
            value = _value(self.f, here)
            needs = [(_value(g, here), kind) for g, kind in conditions(self.f) if g.has(self.x)]
            if value is not None and not any(g is None or _fails(g, kind) for g, kind in needs):
                inside = [] if self.at.is_Rational else [g for g, _ in t.box[i].gaps(self.at)]
                wanted = [(g, ">=") for g in inside if not g.is_nonnegative]
                return [there(value, strict), *(_needed(there, g, kind) for g, kind in (*wanted, *needs))]
        if self.attained or not (self.at.is_infinite or self.at.is_Rational):
            return None
        far = sp.Dummy(self.x.name, positive=True)
        moved = -self.way * far if self.at.is_infinite else self.at + self.way / far
        value = limit(self.f.subs(self.x, moved), far)
        if value is None or value == -sp.oo:
            return None
        return [] if value == sp.oo else [there(value, strict)]

    def smooth(self, e: sp.Expr) -> list[Task]:
        """That `e` is defined and can be differentiated on the segment."""
        needs = dict.fromkeys((g, ">" if kind == ">=" and g.has(self.x) else kind) for g, kind in conditions(e))
        return [_needed(self.on, g, kind) for g, kind in needs]


def _needed(task: Callable[[sp.Expr, bool], Task], g: sp.Expr, kind: str) -> Task:
    """The task that a condition holds."""
    made = task(g, kind != ">=")
    return replace(made, alternatives=[g, -g]) if kind == "!=" else made


def _value(e: sp.Expr, here: dict[sp.Expr, sp.Expr]) -> sp.Expr | None:
    try:
        value = put(e, here)
    except ValueError:  # undecided, or undefined there
        return None
    return None if value.has(*NO_NUMBER) else value


def _fails(g: sp.Expr, kind: str) -> bool:
    return bool(g.is_Rational) and not {">": g > 0, ">=": g >= 0, "!=": g != 0}[kind]


def _same(g: sp.Expr, h: sp.Expr) -> bool:
    """Whether one expression is a positive multiple of the other."""
    if g.free_symbols != h.free_symbols:
        return False
    ratio = sp.cancel(g / h)
    return bool(ratio.is_Rational and ratio > 0)


def _starts(sides: Sequence[_Side]) -> Iterator[list[_Side]]:
    """The sides of one base, which together make up the range of the variable."""
    by_base: dict[sp.Expr, list[_Side]] = {}
    for s in sides:
        by_base.setdefault(s.at, []).append(s)
    yield from filter(None, ([s for s in group if not s.empty] for group in by_base.values()))


def _away(task: Task, w: _Writing, d: sp.Expr, pieces: Sequence[_Side]) -> Iterator[Argument]:
    """Nonnegative at the base, and nowhere falling away from it."""
    attained = pieces[0].attained
    for base_firm in (True, False) if task.strict and not attained else (task.strict,):
        bases = [p.base(base_firm) for p in pieces]
        if any(b is None for b in bases):
            continue
        firm = task.strict and not base_firm
        slopes = [p.on(p.way * d, firm) for p in pieces]
        needs = [t for p in pieces for t in p.smooth(w.f)]
        x, at = pieces[0].x, pieces[0].at
        yield _argument(
            (*slopes, *(t for b in bases for t in b or ()), *_positive(task, w), *needs),
            f"$f = {sp.latex(w.f)}$ is not negative at ${sp.latex(x)} = {sp.latex(at)}$,"
            f" and nowhere falls away from there, because $f'$ has the sign of ${sp.latex(d)}$",
        )


def _positive(task: Task, w: _Writing) -> list[Task]:
    return [
        Task(task.symbols, task.box, [m], True, task.where, task.depth + 1, task.known) for m in w.positive
    ]


def _rises_and_falls(task: Task, w: _Writing, d: sp.Expr, sides: Sequence[_Side]) -> Iterator[Argument]:
    """Nonnegative at both ends, and the slope has the sign of something that falls."""
    low, high = sides[0], sides[1]
    bases = [s.base(task.strict and s.attained) for s in (low, high)]
    if any(b is None for b in bases):
        return
    i = low.i
    box = (*low.box[:i], Side(low.box[i].lo, high.box[i].hi, True, True), *low.box[i + 1 :])
    where = tuple(h for h in low.where if h in high.where)
    inside = _Side(task, w.f, i, _Segment(low.at, 1), lambda t: False)
    inside.box, inside.where = box, where
    for v in _writings(d, Sample(inside.on(d, False))):
        if not v.f.has(low.x) or v.f.count_ops() > LONGEST or any(b.has(low.x) for b in v.f.atoms(*BENT)):
            continue
        falls = inside.on(bare(-derivative(v.f, low.x, {})), task.strict)
        needs = [*inside.smooth(w.f), *inside.smooth(v.f), *(inside.on(m, True) for m in v.positive)]
        yield _argument(
            (falls, *(t for b in bases for t in b or ()), *_positive(task, w), *needs),
            f"$f = {sp.latex(w.f)}$ is not negative at both ends of ${sp.latex(low.x)}$, and rises before it"
            f" falls, because $f'$ has the sign of ${sp.latex(v.f)}$, which falls",
        )
