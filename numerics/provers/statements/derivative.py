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

from numerics.provers.enclosures.boxes import Side, middle
from numerics.provers.enclosures.where_defined import conditions
from numerics.provers.exact.exact_numbers import put, told
from numerics.provers.exact.leading import limit
from numerics.provers.statements.branch import Task
from numerics.provers.statements.equivalent_forms import bare
from numerics.provers.statements.sample import Sample
from numerics.provers.statements.slopes import derivative, monomials, vanishes
from numerics.rationals import flint_rational, in_short, sympy_rational

__all__ = ["Argument", "arguments"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]
Shown = Callable[[Task], bool]

#: Expressions with more operations are not differentiated, or not factored.
LONGEST, LONGEST_FACTORED = 150, 60
#: Nor are those with more monomials in letters factored.
MOST_MONOMIALS = 100
#: Forms of one expression that are differentiated.
MOST_WRITINGS = 6
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
    """Tasks that together imply another one, and why, in words and LaTeX; with the slope."""

    tasks: tuple[Task, ...]
    words: tuple[str, ...]
    slope: sp.Expr

    @property
    def size(self) -> tuple[bool, int]:
        """Arguments that leave something rational are tried first, then short ones."""
        return not self.slope.is_rational_function(*self.slope.free_symbols), self.slope.count_ops()


def _argument(slope: sp.Expr, tasks: Iterable[Task], *words: str) -> Argument:
    """Without tasks that are trivial or said twice; numbers come first."""
    kept: dict[object, Task] = {}
    for t in tasks:
        plain = (bare(e) for e in t.alternatives)
        if not any(e.is_Rational and (e > 0 or (e == 0 and not t.strict)) for e in plain):
            kept.setdefault(t.key, t)
    by_kind = sorted(kept.values(), key=lambda t: bool(t.alternatives[0].free_symbols))
    return Argument(tuple(by_kind), words, slope)


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
    for w in _writings(e, Sample(task), implied=True):
        for i, x in enumerate(task.symbols):
            if not w.f.has(x) or w.f.count_ops() > LONGEST or any(b.has(x) for b in w.f.atoms(*BENT)):
                continue
            d = bare(derivative(w.f, x, {}))
            sides = [_Side(task, w.f, i, s, shown) for s in _segments(task, i, d)]
            for pieces in _starts(sides):
                yield from _away(task, w, d, pieces)
            yield from _rises_and_falls(task, w, d, sides)


def _writings(e: sp.Expr, sample: Sample, implied: bool) -> Iterator[_Writing]:
    """`e` in forms from which a derivative removes a function: without denominators, divided by the
    coefficient of a logarithm or another function, or as a difference of logarithms.
    """
    first = [_Writing(bare(e))]
    if e.count_ops() <= LONGEST:
        short = e.count_ops() <= LONGEST_FACTORED and monomials(e) < MOST_MONOMIALS
        n, d = sp.fraction(sp.factor(e) if short else sp.together(e))
        parts = sp.Mul.make_args(n)
        longest = max(parts, key=lambda p: p.count_ops())  # the others may have signs of their own
        signs = [(p, sample.sign(p) if p.free_symbols and p != longest else 0) for p in parts]
        if s := sample.sign(d):
            rest = sp.Mul(s, *(k or p for p, k in signs))
            first.append(_Writing(rest, (s * d, *(k * p for p, k in signs if k))))
        first += _logarithms(n * s, sample, (s * d,)) if s else ()
    seen: set[sp.Expr] = set()
    while first and len(seen) < MOST_WRITINGS:
        w = first.pop(0)
        if w.f in seen or not w.f.free_symbols or w.f.has(*NO_NUMBER):
            continue
        seen.add(w.f)
        yield w
        if w.f.count_ops() <= LONGEST:
            first += _without(w, sample, implied)


def _logarithms(e: sp.Expr, sample: Sample, positive: tuple[sp.Expr, ...]) -> Iterator[_Writing]:
    """The difference of the logarithms of two products."""
    terms = sp.Add.make_args(e)
    signs = [sample.sign(t) for t in terms]
    if sorted(signs) != [-1, 1]:
        return
    f, bases = sp.S.Zero, dict.fromkeys(positive)
    for t, s in zip(terms, signs):
        for a in sp.Mul.make_args(s * t):
            b, k = (sp.E, a.exp) if isinstance(a, sp.exp) else a.as_base_exp()
            while b.is_Pow and not isinstance(b, sp.exp):  # a power of a power
                b, k = b.base, k * b.exp
            b, k = (-b, k) if k.is_Integer and k % 2 == 0 and sample.sign(b) < 0 else (b, k)
            parts = [b] if not b.is_Mul else list(b.args)
            bases.update(dict.fromkeys(q for q in parts if q.free_symbols))
            f += s * k * sp.Add(*(q.exp if isinstance(q, sp.exp) else sp.log(q) for q in parts))
    if all(sample.sign(q) == 1 for q in bases):
        yield _Writing(sp.expand(f), tuple(bases))


def _without(w: _Writing, sample: Sample, implied: bool) -> Iterator[_Writing]:
    """Writings in which one function stands alone, or is gone. Where it is enough that they imply
    the old one, roots are squared.
    """
    flat = sp.expand(w.f)
    roots = {p for p in flat.atoms(sp.Pow) if p.exp == sp.S.Half and implied}
    for t in sorted(flat.atoms(*REMOVED) | roots, key=sp.default_sort_key):
        c = flat.coeff(t)
        rest = sp.expand(flat - c * t)
        if c == 0 or not t.free_symbols or c.has(t) or rest.has(t):
            continue
        s, other = sample.sign(c), sample.sign(rest)
        if t in roots:
            if s and s * other <= 0 and (s > 0 or other):
                squares = s * (c**2 * t.base - rest**2)
                yield _Writing(sp.expand(squares), (*w.positive, s * c, *((rest,) if s < 0 else ())))
            continue
        if s and c.free_symbols:
            yield _Writing(s * t + s * _quotient(rest, c), (*w.positive, s * c))
        if isinstance(t, sp.exp) and s and other == -s:
            logs = s * (t.exp + sp.log(s * c) - sp.log(-s * rest))
            yield _Writing(logs, (*w.positive, s * c, -s * rest))


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
        way = 1 if told(c, "positive") else -1 if told(-c, "positive") else 0
        if root is not None and way:
            out.append(_Segment(root, way))
    both: list[sp.Expr] = [y for y in task.symbols if y != x]
    if d.is_rational_function(*task.symbols) and d.count_ops() <= LONGEST_FACTORED:
        numerator = sp.fraction(sp.together(d))[0]
        roots = (_root(p, x) for p in sp.Mul.make_args(sp.factor(numerator)))
        both += [r for r, c in roots if r is not None and (told(c, "positive") or told(-c, "positive"))]
    both += [q for q in INSIDE if side.contains(flint_rational(q)) and q not in (side.lo, side.hi)]
    out += [_Segment(at, way) for at in both for way in (1, -1)]
    # Beyond the range the symbols would assume what is false there.
    within = lambda at: not at.is_Rational or Side(side.lo, side.hi).contains(flint_rational(at))
    return [s for s in dict.fromkeys(out) if within(s.at)]


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
        self.shown_there: list[Task] = []
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
            return bool(g.free_symbols)
        poly = g.as_poly(self.x)
        if poly is None or poly.degree() > 2 or any(c.has(self.x) for c in poly.all_coeffs()):
            return False
        if self.at.is_infinite:  # an affine function that rises on the way there
            return poly.degree() == 1 and told(poly.LC() * -self.way, "nonnegative")
        there = _value(g, {self.x: self.at})
        if there is None or (poly.degree() == 2 and not told(poly.LC(), "nonpositive")):
            return False
        t = self.task
        task = replace(t, alternatives=[there], strict=False, depth=t.depth + 1)
        if not told(there, "nonnegative"):
            if not self.shown(task):
                return False
            self.shown_there.append(task)
        self.there.append((there, False))
        return True

    @property
    def attained(self) -> bool:
        """Whether the base may be a value of the variable."""
        if self.at.is_infinite:
            return False
        if self.at.is_Rational and not self.task.box[self.i].contains(flint_rational(self.at)):
            return False
        return not any(s and _same(g, self.way * (self.x - self.at)) for g, s in self.task.where)

    def on(self, e: sp.Expr, strict: bool) -> Task:
        """The task ``e >= 0`` on the segment without its base."""
        t = self.task
        return Task(t.symbols, self.box, [e], strict, self.where, depth=t.depth + 1)

    def slope(self, d: sp.Expr, strict: bool) -> list[Task]:
        """That a slope is positive inside, up to points that lie apart. Functions of one variable
        are analytic where they are smooth: a slope that is not negative has no other zeros unless
        it vanishes everywhere, so that one point is enough.
        """
        if not strict or len(self.task.symbols) > 1 or self.where:
            return [self.on(d, strict)]
        value = _value(d, {self.x: sympy_rational(middle(self.box[self.i]))})
        return [self.on(d, False), self.on(value if value is not None else d, True)]

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
                wanted = [(g, ">=") for g in inside if not told(g, "nonnegative")]
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
        """That `e` is smooth on the segment, and that the hypotheses hold there."""
        inside = lambda g, kind: ">" if kind == ">=" and g.has(self.x) else kind
        needs = dict.fromkeys((g, inside(g, kind)) for g, kind in conditions(e))
        return [*self.shown_there, *(_needed(self.on, g, kind) for g, kind in needs)]


def _needed(task: Callable[[sp.Expr, bool], Task], g: sp.Expr, kind: str) -> Task:
    """The task that a condition holds."""
    made = task(g, kind != ">=")
    return replace(made, alternatives=[g, -g]) if kind == "!=" else made


def _value(e: sp.Expr, here: dict[sp.Expr, sp.Expr]) -> sp.Expr | None:
    try:
        value = put(e, here)
    except ValueError:  # undecided, or undefined there
        return None
    return None if value.has(*NO_NUMBER) else sp.S.Zero if vanishes(value) else value


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
        slopes = [t for p in pieces for t in p.slope(p.way * d, firm)]
        needs = [t for p in pieces for t in p.smooth(w.f)]
        x, at = pieces[0].x, pieces[0].at
        yield _argument(
            d,
            (*slopes, *(t for b in bases for t in b or ()), *_positive(task, w), *needs),
            f"$f = {in_short(w.f)}$ is not negative at ${in_short(x)} = {in_short(at)}$,"
            f" and nowhere falls away from there, because $f'$ has the sign of ${in_short(d)}$",
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
    for v in _writings(d, Sample(inside.on(d, False)), implied=False):
        if not v.f.has(low.x) or v.f.count_ops() > LONGEST or any(b.has(low.x) for b in v.f.atoms(*BENT)):
            continue
        falls = inside.slope(bare(-derivative(v.f, low.x, {})), task.strict)
        needs = [*inside.smooth(w.f), *inside.smooth(v.f), *(inside.on(m, True) for m in v.positive)]
        needs += [*low.shown_there, *high.shown_there]
        yield _argument(
            v.f,
            (*falls, *(t for b in bases for t in b or ()), *_positive(task, w), *needs),
            f"$f = {in_short(w.f)}$ is not negative at both ends of ${in_short(low.x)}$, and rises before it"
            f" falls, because $f'$ has the sign of ${in_short(v.f)}$, which falls",
        )
