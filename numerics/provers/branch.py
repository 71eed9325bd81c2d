"""Branch and bound: cover a box by smaller ones on each of which an enclosure shows that a function is nonnegative.

On a box it is enough that (range) some writing has a nonnegative enclosure, (monotone) its slope in a variable has one sign and the
inequality holds at the end towards which it falls, (mean value) its value at the centre outweighs the slopes, (contact) it vanishes
together with its first derivatives on a face or at a point and the next derivative has one sign, or (hypothesis) no point of the box
meets the hypotheses.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

import sympy as sp
from flint import arb, fmpq

from numerics.provers.enclose import Box, Program, Side, Unsupported, Values, rational
from numerics.provers.forms import Signs, forms, with_tanh
from numerics.provers.interval import INF, Iv

__all__ = ["Cover", "Outcome", "Task"]

MAX_CONTACT = 8


@dataclass
class Task:
    """``some alternative >= 0`` on `box` wherever all hypotheses hold; every alternative is a list of writings with equal signs on `box`."""

    symbols: tuple[sp.Symbol, ...]
    box: Box
    alternatives: list[list[sp.Expr]]
    strict: bool
    where: tuple[tuple[sp.Expr, bool], ...] = ()
    points: tuple[dict[sp.Symbol, sp.Expr], ...] = ()  # where equality is suspected
    depth: int = 0
    whole: bool = True  # integer variables stay integers


@dataclass
class Outcome:
    """What became of a task."""

    proved: bool
    boxes: int = 0
    margin: arb | None = None
    reason: str = ""
    rules: dict[str, int] = field(default_factory=dict)
    stuck: Box | None = None


@dataclass(slots=True)
class _Node:
    box: Box
    free: bool = True  # the box lies in the domain, and hypotheses may be used
    writings: tuple[tuple[int, int], ...] | None = None  # the only (alternative, writing) pairs that count here


class Cover:
    """One run of branch and bound; `probe` is shown every box's centre and may end the run with a counterexample."""

    def __init__(
        self,
        task: Task,
        boxes: int,
        deadline: float,
        probe: Callable[[Box], bool] | None = None,
        prove: Callable[[Task], Outcome] | None = None,
    ) -> None:
        self.task, self.budget, self.deadline, self.probe, self.prove = task, boxes, deadline, probe, prove
        self.program = Program(task.symbols)
        self.indices = [[self._add(f) for f in alt] for alt in task.alternatives]
        self.order = [(a, k) for a, alt in enumerate(self.indices) for k, i in enumerate(alt) if i is not None]
        self.hyps = [(i, s) for g, s in task.where if (i := self._add(g)) is not None]
        self.slopes: dict[tuple[int, int], list[list[int]] | None] = {}
        self.faces: dict[tuple[int, int, int, bool, bool], bool] = {}
        self.contacts: dict[tuple[int, int, int, fmpq], list[tuple[int, int]]] = {}
        self.suspects: dict[tuple[int, int, int], list[fmpq]] = {}
        self.signs: dict[tuple[int, int, int], list[int]] = {}
        self.lossless = len(task.alternatives) == 1 and not task.where
        self.out = Outcome(False)

    def _add(self, e: sp.Expr) -> int | None:
        try:
            return self.program.add(e)
        except Unsupported as fault:
            self.missing = str(fault)
            return None

    def run(self) -> Outcome:
        out = self.out
        if not self.order:
            out.reason = getattr(self, "missing", "no writing can be enclosed")
            return out
        counter = itertools.count()
        heap: list[tuple[float, int, _Node]] = [(0.0, next(counter), _Node(self.task.box))]
        while heap:
            _, _, node = heapq.heappop(heap)
            out.boxes += 1
            if out.boxes > self.budget or time.monotonic() > self.deadline:
                out.stuck, out.reason = (
                    node.box,
                    f"{out.boxes} boxes did not decide it; the last one is {_show(self.task.symbols, node.box)}",
                )
                return out
            children = self._visit(node)
            if children is None:
                out.stuck, out.reason = node.box, out.reason or f"stuck at {_show(self.task.symbols, node.box)}"
                return out
            for low, child in children:
                heapq.heappush(heap, (low, next(counter), child))
        out.proved = True
        out.margin = out.margin if out.margin is not None and out.margin > 0 else None
        return out

    def _hit(self, rule: str) -> list[tuple[float, _Node]]:
        self.out.rules[rule] = self.out.rules.get(rule, 0) + 1
        return []

    def _good(self, v: Iv) -> bool:
        return v.pos if self.task.strict else v.nonneg

    def _visit(self, node: _Node) -> list[tuple[float, _Node]] | None:
        """The boxes that remain to be shown, or None where the run must end."""
        values = self.program.on(node.box)
        if node.free and any(
            v.neg if not s else (v.neg or v.nonpos) for v, s in ((values[i], s) for i, s in self.hyps) if v.defined
        ):
            return self._hit("hypothesis")
        pairs = node.writings or self.order
        low = -INF
        for n, (a, k) in enumerate(pairs):
            v = values[self.indices[a][k]]  # type: ignore[index]
            if self._good(v) and (v.defined or (node.free and not self.task.depth)):
                if n and pairs is self.order:  # what helped here will help nearby
                    self.order = [self.order[n], *self.order[:n], *self.order[n + 1 :]]
                self._margin(values)
                return self._hit("range")
            if v.lo > low:
                low = v.lo
        if self.probe and any(self.probe(b) for b in self._inside(node, values)):
            self.out.reason = "counterexample"
            return None
        if all(s.point for s in node.box):
            return None
        reduced = self._slopes(node, values, pairs)
        if reduced is not None:
            return reduced
        return self._split(node, low)

    def _inside(self, node: _Node, values: Values) -> list[Box]:
        """The box, or boxes near it in the domain where it is a face outside on which the inequality fails."""
        if node.free:
            return [node.box]
        if not all(values[self.indices[a][k]].neg for a, k in node.writings or ()):  # type: ignore[index]
            return []
        out = []
        for h in (fmpq(1, 100), fmpq(1, 10**4), fmpq(1, 10**8)):
            sides = []
            for s, full in zip(node.box, self.task.box):
                if s.point and not full.contains(s.lo):
                    other = full.hi if s.lo == full.lo else full.lo
                    q = s.lo + h * ((s.lo + 1 if s.lo == full.lo else s.lo - 1) - s.lo if other is None else other - s.lo)
                    s = Side(q, q)
                sides.append(s)
            out.append(tuple(sides))
        return out

    def _margin(self, values: Values) -> None:
        if not self.lossless or self.indices[0][0] is None:
            return
        low = values[self.indices[0][0]].lo
        if self.out.margin is None or low < self.out.margin:
            self.out.margin = low

    # -- first and higher derivatives

    def _gradient(self, a: int, k: int) -> list[list[int]] | None:
        """For each variable, the indices of a few writings of the slope of one writing."""
        key = (a, k)
        if key not in self.slopes:
            e, rows = self.task.alternatives[a][k], []
            try:
                for s in self.task.symbols:
                    rows.append([self.program.add(d) for d in _writings(with_tanh(sp.diff(e, s)))])
                self.slopes[key] = rows
            except Unsupported:
                self.slopes[key] = None
        return self.slopes[key]

    def _slopes(self, node: _Node, values: Values, pairs: Sequence[tuple[int, int]]) -> list[tuple[float, _Node]] | None:
        best: tuple[float, _Node] | None = None
        for a, k in pairs[: 2 if self.out.boxes < 16 else 5]:
            f = self.indices[a][k]
            if not values[f].defined:  # type: ignore[index]
                continue
            rows = self._gradient(a, k)
            if rows is None:
                continue
            slopes = [_meet([values[i] for i in row]) for row in rows]
            sides, outside = list(node.box), False
            for i, g in enumerate(slopes):
                if g is None or sides[i].point:
                    continue
                way = 1 if g.nonneg else -1 if g.nonpos else self._slope_sign(values, a, k, i)
                if way:
                    new, out = self._towards(node.box, i, way > 0, a, k)
                    if new is None:
                        continue
                    sides[i], outside = new, outside or out
                    if new.point and self._face(a, k, i, new, g.pos or g.neg, node.box[i]):
                        return self._hit("monotone")
            box = tuple(sides)
            if box != node.box:
                v = self.program.on(box)
                mine = v[f]  # type: ignore[index]
                if mine.defined and self._good(mine):
                    self._margin(v)
                    return self._hit("monotone")
                others = [] if outside or not (node.free or node.writings is None) else [p for p in pairs if p[0] == a]
                if any(self._good(u) and u.defined for u in (v[self.indices[p][q]] for p, q in others)):  # type: ignore[index]
                    return self._hit("monotone")
                if self.lossless and best is None and any(not s.point for s in box):
                    keep = ((a, k),) if outside else (node.writings or None)
                    best = (_float(mine.lo), _Node(box, node.free and not outside, keep))
            if self._mean_value(node.box, values, a, k, slopes):
                return self._hit("mean value")
            if self._contact(node.box, a, k):
                return self._hit("contact")
        if best is not None:
            self._hit("reduce")
            return [best]
        return None

    def _slope_sign(self, values: Values, a: int, k: int, i: int) -> int:
        """The sign of a slope from its own writings without denominators or divided by a term, at infinity where it tends to 0."""
        if values.box[i].lo is not None and values.box[i].hi is not None:
            return 0
        key = (a, k, i)
        if key not in self.signs:
            e = sp.diff(self.task.alternatives[a][k], self.task.symbols[i])
            signs = Signs(self.program, self.task.box)
            self.signs[key] = [j for h in itertools.islice(forms(e, signs), 1, 8) if (j := self._add(h)) is not None]
        for j in self.signs[key]:
            v = values[j]
            if v.defined and (v.nonneg or v.nonpos):
                return 1 if v.nonneg else -1
        return 0

    def _towards(self, box: Box, i: int, rising: bool, a: int, k: int) -> tuple[Side | None, bool]:
        """The part of side `i` at its lower end (`rising`) or upper end, and whether that leaves the domain (an excluded end)."""
        s = box[i]
        end, is_open = (s.lo, s.lo_open) if rising else (s.hi, s.hi_open)
        if end is not None and not is_open:
            return Side(end, end, integer=s.integer), False
        if end is not None:  # continuity carries the inequality to an end that is left out, where the expression is defined there
            closed = (*box[:i], Side(s.lo, s.hi, s.lo_open and not rising, s.hi_open and rising), *box[i + 1 :])
            if self.program.on(closed)[self.indices[a][k]].defined:  # type: ignore[index]
                return Side(end, end), True
            other = s.hi if rising else s.lo
            width = fmpq(1) if other is None else abs(other - end)
            if width < fmpq(1, 2**400):
                return None, False
            near = end + (width if rising else -width) / 2**16
            return (Side(end, near, True, False) if rising else Side(near, end, False, True)), False
        other = s.hi if rising else s.lo
        size = fmpq(1) if other is None else max(fmpq(1), abs(other))
        if size > fmpq(2**400):
            return None, False
        far = (size * size * 16) * (-1 if rising else 1)
        if s.integer:
            far = fmpq(int(far.p) // int(far.q))
        return (Side(None, far, integer=s.integer) if rising else Side(far, None, integer=s.integer)), False

    def _face(self, a: int, k: int, i: int, at: Side, strictly: bool, side: Side) -> bool:
        """Whether the writing is nonnegative on the whole face of the domain on which variable `i` has the value `at`, by a proof there."""
        full = self.task.box[i]
        if self.prove is None or self.task.depth > 2 or at.lo not in (full.lo, full.hi):
            return False
        excluded = (side.lo_open and at.lo == side.lo) or (side.hi_open and at.lo == side.hi)
        strict = self.task.strict and not (strictly and excluded)
        key = (a, k, i, at.lo == full.lo, strict)
        if key not in self.faces:
            x = self.task.symbols[i]
            sample = tuple(at if j == i else Side(m, m) for j, m in enumerate(map(middle, self.task.box)))
            v = self.program.on(sample)[self.indices[a][k]]  # type: ignore[index]
            if v.neg or (self.out.boxes < 40 and v.pos):  # false there, or cutting may settle it without a proof for the whole face
                return False
            self.faces[key] = False
            try:
                e = sp.expand(self.task.alternatives[a][k].subs(x, rational(at.lo)))
            except (TypeError, ValueError):
                return False
            if not e.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
                rest = [j for j in range(len(self.task.symbols)) if j != i]
                sub = Task(
                    tuple(self.task.symbols[j] for j in rest),
                    tuple(self.task.box[j] for j in rest),
                    [[e]],
                    strict,
                    depth=self.task.depth + 1,
                )
                self.faces[key] = self.prove(sub).proved
        return self.faces[key]

    def _mean_value(self, box: Box, values: Values, a: int, k: int, slopes: Sequence[Iv | None]) -> bool:
        if any(s.lo is None or s.hi is None for s in box) or any(g is None for g in slopes):
            return False
        centre = tuple(Side(m, m) for m in ((s.lo + s.hi) / 2 for s in box))  # type: ignore[operator]
        v = self.program.on(centre)[self.indices[a][k]]  # type: ignore[index]
        for s, c, g in zip(box, centre, slopes):
            if not s.point:
                v = v + g * s.iv(1, -c.lo)  # type: ignore[operator]
        return v.defined and self._good(v)

    def _contact(self, box: Box, a: int, k: int) -> bool:
        """Taylor's formula at a value of one variable where the writing vanishes with its first derivatives, whatever the other variables."""
        for i, s in enumerate(box):
            for p in self._suspects(a, k, i):
                above, below = s.lo is not None and s.lo >= p, s.hi is not None and s.hi <= p
                apart = (above and (s.lo > p or s.lo_open)) or (below and (s.hi < p or s.hi_open))
                values = self.program.on((*box[:i], _hull(s, p), *box[i + 1 :]))
                for m, d in self._orders(a, k, i, p):
                    w = values[d]
                    if not (w.defined and values[self.indices[a][k]].defined):  # type: ignore[index]
                        continue
                    strict_ok = not self.task.strict or (apart and (w.pos or w.neg))
                    if strict_ok and ((w.nonneg and (m % 2 == 0 or above)) or (w.nonpos and m % 2 == 1 and below)):
                        return True
        return False

    def _suspects(self, a: int, k: int, i: int) -> list[fmpq]:
        """Values of variable `i` on which the writing may vanish, whatever the other variables: the ends of its range and simple numbers."""
        key = (a, k, i)
        if key not in self.suspects:
            full, x = self.task.box[i], self.task.symbols[i]
            given = [p[x] for p in self.task.points if x in p]
            ends = [e for e in (full.lo, full.hi) if e is not None]
            simple = [fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (-2, 1), (3, 1), (-1, 2), (4, 1), (1, 3))]
            closed = Side(full.lo, full.hi)
            found = []
            for p in dict.fromkeys([*ends, *given, *(q for q in simple if closed.contains(q))]):
                at = tuple(Side(p, p) if j == i else Side(m, m) for j, m in enumerate(map(middle, self.task.box)))
                v = self.program.on(at)[self.indices[a][k]]  # type: ignore[index]
                if not v.defined or (not v.pos and not v.neg):
                    found.append(p)
            self.suspects[key] = found
        return self.suspects[key]

    def _orders(self, a: int, k: int, i: int, p: fmpq) -> list[tuple[int, int]]:
        """Every `m`, with the index of the `m`-th derivative in variable `i`, for which all lower derivatives vanish where it is `p`."""
        key = (a, k, i, p)
        if key not in self.contacts:
            rows = self.contacts[key] = []
            e, x = self.task.alternatives[a][k], self.task.symbols[i]
            sample = tuple(Side(p, p) if j == i else Side(m, m) for j, m in enumerate(map(middle, self.task.box)))
            for m in range(1, MAX_CONTACT + 1):
                if not self._vanishes(e, {x: rational(p)}, sample):
                    break
                e = with_tanh(sp.diff(e, x))
                if e == 0 or e.has(sp.DiracDelta, sp.Derivative, sp.Subs, sp.nan, sp.zoo):
                    break
                with suppress(Unsupported):
                    rows.extend((m, self.program.add(w)) for w in _writings(e))
        return self.contacts[key]

    def _vanishes(self, e: sp.Expr, at: dict[sp.Symbol, sp.Expr], sample: Box) -> bool:
        """Whether `e` is identically zero under a substitution; one enclosure at a sample point settles most cases that are not."""
        value = e.subs(at)
        if value == 0:
            return True
        with suppress(Unsupported):
            v = self.program.on(sample)[self.program.add(e)]
            if v.defined and (v.pos or v.neg):
                return False
        if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            return False
        return bool(sp.expand(value) == 0 or sp.simplify(value) == 0)

    # -- splitting

    def _split(self, node: _Node, low: arb) -> list[tuple[float, _Node]] | None:
        i = max(range(len(node.box)), key=lambda j: _width(node.box[j]))
        parts = _halves(node.box[i])
        if parts is None:
            return None
        return [(_float(low), _Node((*node.box[:i], p, *node.box[i + 1 :]), node.free, node.writings)) for p in parts]


def _writings(e: sp.Expr) -> list[sp.Expr]:
    out, size = [sp.factor_terms(e)], e.count_ops()
    for h in ([sp.factor(e)] if size < 40 else []) + ([sp.expand(e)] if size < 80 else []):
        if h not in out:
            out.append(h)
    return out


def _meet(ivs: Sequence[Iv]) -> Iv | None:
    out = None
    for v in ivs:
        if not v.defined:
            continue
        if out is None:
            out = v
        else:
            lo, lo_open = (v.lo, v.lo_open) if v.lo > out.lo else (out.lo, out.lo_open or (v.lo_open and not v.lo < out.lo))
            hi, hi_open = (v.hi, v.hi_open) if v.hi < out.hi else (out.hi, out.hi_open or (v.hi_open and not v.hi > out.hi))
            out = Iv(lo, hi, lo_open, hi_open)
    return out


def _hull(s: Side, p: fmpq) -> Side:
    lo, lo_open = (p, False) if s.lo is not None and p <= s.lo else (s.lo, s.lo_open)
    hi, hi_open = (p, False) if s.hi is not None and p >= s.hi else (s.hi, s.hi_open)
    return Side(lo, hi, lo_open, hi_open)


def _halves(s: Side) -> tuple[Side, Side] | None:
    if s.point:
        return None
    m = middle(s)
    if abs(m) > fmpq(2**300) or (s.lo is not None and s.hi is not None and s.hi - s.lo < fmpq(1, 2**300)):
        return None
    if s.integer:
        m = fmpq(int(m.p) // int(m.q))
        if s.hi is not None and m >= s.hi:
            m = s.hi - 1
        return Side(s.lo, m, integer=True), Side(m + 1, s.hi, integer=True)
    return Side(s.lo, m, s.lo_open, False), Side(m, s.hi, False, s.hi_open)


def middle(s: Side) -> fmpq:
    """Where to cut: geometrically towards infinity and towards an end at 0."""
    lo, hi = s.lo, s.hi
    if lo is None and hi is None:
        return fmpq(0)
    if hi is None:
        return fmpq(1) if lo < 1 else 2 * lo if lo < 2**12 else lo * lo
    if lo is None:
        return fmpq(-1) if hi > -1 else 2 * hi if hi > -(2**12) else -hi * hi
    if s.lo_open and hi > lo and lo == 0:
        return hi / 4
    if s.hi_open and hi == 0:
        return lo / 4
    if lo > 0 and hi > 8 * lo:
        return 2 * lo
    if hi < 0 and lo < 8 * hi:
        return 2 * hi
    return (lo + hi) / 2


def _width(s: Side) -> float:
    """How much of a bounded picture of the line the side fills: only a guide for cutting."""
    if s.point:
        return -1.0
    squash = lambda q: q / (1 + abs(q))  # noqa: E731
    lo, hi = (-1.0 if s.lo is None else squash(_number(s.lo))), (1.0 if s.hi is None else squash(_number(s.hi)))
    return max(hi - lo, 1e-300)


def _number(q: fmpq) -> float:
    try:
        return int(q.p) / int(q.q)
    except OverflowError:
        return 1e300 if q > 0 else -1e300


def _float(v: arb) -> float:
    try:
        return float(v)
    except (OverflowError, ValueError):
        return -1e308


def _show(symbols: Sequence[sp.Symbol], box: Box) -> str:
    end = lambda q: "oo" if q is None else f"{_number(q):.6g}"  # noqa: E731
    return ", ".join(f"{s.name} in [{'-' if b.lo is None else ''}{end(b.lo)}, {end(b.hi)}]" for s, b in zip(symbols, box))


def centre(box: Box) -> tuple[Fraction, ...]:
    """A rational point of a box to look for counterexamples at."""
    out = []
    for s in box:
        q = s.lo if s.point else middle(s)
        if s.integer:
            q = fmpq(int(q.p) // int(q.q))
        out.append(Fraction(int(q.p), int(q.q)))
    return tuple(out)
