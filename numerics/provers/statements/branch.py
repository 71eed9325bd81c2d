"""Branch and bound: covers a box by smaller ones on each of which an enclosure shows that a
function is nonnegative.

One of these arguments is enough on a box:

- range: the enclosure of some writing of the function is nonnegative;
- monotone: the slope in a variable has one sign, and the inequality holds at the end towards which
  the function falls;
- limit: the function falls towards 0 at infinity;
- mean value: the value at the centre outweighs the slopes;
- contact: the function vanishes together with its first derivatives where a variable has some
  value, and the next derivative has one sign;
- hypothesis: no point of the box meets the hypotheses.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import sympy as sp
from flint import arb, fmpq

from numerics.provers.effort import Effort
from numerics.provers.enclosures.boxes import Box, Side, describe, halves, hull, towards, width
from numerics.provers.enclosures.enclose import Program, Unsupported, Values
from numerics.provers.enclosures.interval import INF, ZERO, Iv
from numerics.provers.exact.exact_numbers import put
from numerics.provers.statements.slopes import Slopes
from numerics.rationals import sympy_rational

__all__ = ["Cover", "Outcome", "Task"]

Pair = tuple[int, int]  # an alternative, and one of its writings


@dataclass
class Task:
    """``some alternative >= 0`` (``> 0``) on `box` wherever all hypotheses hold. `depth` counts the
    substitutions that led here: only at depth 0 are the alternatives known to be defined wherever
    the hypotheses hold. What is `known` holds there, too.
    """

    symbols: tuple[sp.Symbol, ...]
    box: Box
    alternatives: list[sp.Expr]
    strict: bool
    where: tuple[tuple[sp.Expr, bool], ...] = ()
    depth: int = 0
    known: tuple[tuple[sp.Expr, bool], ...] = ()

    @property
    def key(self) -> Hashable:
        """What is the same for tasks that say the same."""
        hypotheses = (self.where, self.known)
        return (self.symbols, self.box, *self.alternatives, self.strict, hypotheses, self.depth > 0)


@dataclass
class Outcome:
    """What became of a task so far; `margin` is a certified lower bound of its first writing, and
    `rules` counts by which argument boxes were settled.
    """

    proved: bool
    boxes: int = 0
    margin: arb | None = None
    reason: str = ""
    rules: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Node:
    box: Box
    free: bool = True  # the box lies in the domain, and hypotheses may be used
    writings: tuple[Pair, ...] | None = None  # the only ones that count here


Children = list[tuple[float, _Node]]


class Cover:
    """Branch and bound that can be continued. The `effort` is shared with other attempts; `probe`
    tries a point of a box and says whether it is a counterexample, which ends the run; `prove`
    tries to prove the inequality on a face of the box where enclosures show only that it may be an
    equality.
    """

    def __init__(
        self,
        task: Task,
        effort: Effort,
        probe: Callable[[Box], bool] | None = None,
        prove: Callable[[Task], bool] | None = None,
        writings: Callable[[sp.Expr], Iterable[sp.Expr]] = lambda f: (f,),
    ) -> None:
        self.task, self.effort, self.probe, self.prove = task, effort, probe, prove
        self.program = Program(task.symbols, effort)
        self.missing = "nothing can be enclosed"
        self.index: dict[Pair, int] = {}
        self.slopes: dict[Pair, Slopes] = {}
        self.order: list[Pair] = []
        self.undrawn = ((a, k, f) for a, e in enumerate(task.alternatives) for k, f in enumerate(writings(e)))
        self._draw()
        self.hypotheses = [(i, s) for g, s in task.where if (i := self._compiled(g)) is not None]
        self.faces: dict[tuple[Pair, int, bool, bool], bool] = {}
        # Without alternatives and hypotheses a box on which the function is negative refutes the
        # task.
        self.lossless = len(task.alternatives) == 1 and not task.where
        self.counter = itertools.count()
        self.heap: list[tuple[float, int, _Node]] = [(0.0, next(self.counter), _Node(task.box))]
        self.stuck = False
        self.out = Outcome(False)

    def _draw(self) -> Pair | None:
        """One more writing of the task, None if there are no more. SymPy takes long to make them,
        and one of the first is often enough: they are made when all earlier ones have failed.
        """
        for a, k, f in self.undrawn:
            if (i := self._compiled(f)) is not None:
                self.index[a, k] = i
                self.slopes[a, k] = Slopes(f, self.program, self.task.box)
                self.order.append((a, k))
                return a, k
        return None

    def _every(self) -> Iterator[Pair]:
        """The writings in the order in which they are tried."""
        yield from list(self.order)
        while (p := self._draw()) is not None:
            yield p

    def _compiled(self, e: sp.Expr) -> int | None:
        try:
            return self.program.add(e)
        except Unsupported as fault:
            self.missing = str(fault)
            return None

    def run(self, boxes: int) -> Outcome:
        """Go on for a number of boxes."""
        out, end = self.out, self.out.boxes + boxes
        if not self.order:
            self.stuck, out.reason = True, self.missing
        while self.heap and not self.stuck:
            if out.boxes >= end or self.effort.over:
                left = describe(self.task.symbols, self.heap[0][2].box)
                out.reason = f"{out.boxes} boxes did not decide it; one that is left is {left}"
                return out
            node = heapq.heappop(self.heap)[2]
            out.boxes += 1
            children = self._visit(node)
            if children is None:
                self.stuck = True
                out.reason = out.reason if out.reason == "counterexample" else self._stuck(node.box)
            else:
                for low, child in children:
                    heapq.heappush(self.heap, (low, next(self.counter), child))
        out.proved = not self.stuck
        out.margin = out.margin if out.margin is not None and out.margin > 0 else None
        return out

    def _stuck(self, box: Box) -> str:
        """Where cutting does not help, in words."""
        if not box:
            return f"the sign of the number {self.task.alternatives[0]} is not decided"
        return f"stuck at {describe(self.task.symbols, box)}, where cutting on does not settle the sign"

    def _done(self, rule: str) -> Children:
        """Nothing is left of a box that was settled by this rule."""
        self.out.rules[rule] = self.out.rules.get(rule, 0) + 1
        return []

    def _good(self, v: Iv) -> bool:
        return v.pos if self.task.strict else v.nonneg

    def _visit(self, node: _Node) -> Children | None:
        """The boxes that remain to be shown, or None where the run must end."""
        values = self.program.on(node.box)
        if node.free and self._excluded(values):
            return self._done("hypothesis")
        low = -INF
        for p in node.writings or self._every():
            v = values[self.index[p]]
            if self._good(v) and (v.defined or (node.free and not self.task.depth)):
                if not node.writings:  # what helped here will help nearby
                    self.order.remove(p)
                    self.order.insert(0, p)
                self._bound(values)
                return self._done("range")
            if v.lo > low:
                low = v.lo
        if self.probe and any(self.probe(b) for b in self._inside(node, values)):
            self.out.reason = "counterexample"
            return None
        if all(s.point for s in node.box):
            return None
        reduced = self._reduced(node, values, node.writings or self.order)
        return self._cut(node, low) if reduced is None else reduced

    def _excluded(self, values: Values) -> bool:
        """Whether some hypothesis is false on the whole box."""
        for i, strict in self.hypotheses:
            v = values[i]
            if v.defined and (v.neg or (strict and v.nonpos)):
                return True
        return False

    def _inside(self, node: _Node, values: Values) -> list[Box]:
        """The box, or points of the domain near a face outside it on which the inequality fails."""
        if node.free:
            return [node.box]
        if not all(values[self.index[p]].neg for p in node.writings or ()):
            return []
        out = []
        for h in (fmpq(1, 100), fmpq(1, 10**4), fmpq(1, 10**8)):
            sides = []
            for s, full in zip(node.box, self.task.box):
                if s.point and not full.contains(s.lo):
                    lower = s.lo == full.lo
                    other = (
                        (full.hi if lower else full.lo) if not full.infinite else s.lo + (1 if lower else -1)
                    )
                    q = s.lo + h * (other - s.lo)
                    s = Side(q, q)
                sides.append(s)
            out.append(tuple(sides))
        return out

    def _bound(self, values: Values, low: arb | None = None) -> None:
        """Note how far the first writing stays above 0 on a box, for the margin: by `low` where an
        argument gave that, otherwise by its enclosure.
        """
        if self.lossless and (0, 0) in self.index:
            low = values[self.index[0, 0]].lo if low is None else low
            if self.out.margin is None or low < self.out.margin:
                self.out.margin = low

    # Arguments that use derivatives. They need a writing that is defined on the whole box, also
    # where the hypotheses fail, because they follow segments that may leave the hypotheses.

    def _reduced(self, node: _Node, values: Values, pairs: Sequence[Pair]) -> Children | None:
        """No box or a smaller one in the place of this one, by the slopes of some writing; None if
        they do not help.
        """
        best: tuple[float, _Node, Pair] | None = None
        for p in pairs[: 2 if self.out.boxes < 16 else 5]:
            f, slopes = self.index[p], self.slopes[p]
            if not values[f].defined or self.effort.over:
                continue
            gradient = slopes.gradient(values)
            sides, outside = list(node.box), False
            for i, g in enumerate(gradient):
                if sides[i].point or g is None:
                    continue
                way = 1 if g.nonneg else -1 if g.nonpos else slopes.sign(values, i)
                if way < 0 and sides[i].hi is None and not self.task.strict and slopes.fades(i):
                    self._bound(values, ZERO)
                    return self._done("limit")
                new = self._end(node.box, i, way > 0, f) if way else None
                if new is None:
                    continue
                sides[i] = new
                outside = outside or (new.point and not node.box[i].contains(new.lo))
                if new.point and self._face(p, i, new, g.nonzero, node.box[i]):
                    self._bound(values, ZERO)
                    return self._done("monotone")
            box = tuple(sides)
            if box != node.box:
                v = self.program.on(box)
                others = [] if outside or not node.free else [q for q in pairs if q[0] == p[0]]
                if any(self._good(u) and u.defined for u in (v[self.index[q]] for q in (p, *others))):
                    self._bound(v if p == (0, 0) else values)  # another writing is least somewhere else
                    return self._done("monotone")
                if self.lossless and best is None and any(not s.point for s in box):
                    keep = (p,) if outside else node.writings
                    best = (_float(v[f].lo), _Node(box, node.free and not outside, keep), p)
            least = self._mean_value(node.box, f, gradient)
            if least is not None:
                self._bound(values, least.lo if p == (0, 0) else None)
                return self._done("mean value")
            if self._contact(node.box, p):
                self._bound(values, ZERO)
                return self._done("contact")
        if best is not None:
            if best[2] != (0, 0):
                self._bound(values)
            self._done("reduced")
            return [best[:2]]
        return None

    def _end(self, box: Box, i: int, lower: bool, f: int) -> Side | None:
        """What remains of side `i` if the function falls towards that end: the end itself, or
        something next to it.
        """
        s = box[i]
        end, is_open = (s.lo, s.lo_open) if lower else (s.hi, s.hi_open)
        # Continuity carries the inequality from an end that is left out, if the function is defined
        # there.
        if end is not None and is_open:
            closed = Side(s.lo, s.hi, s.lo_open and not lower, s.hi_open and lower)
            if self.program.on((*box[:i], closed, *box[i + 1 :]))[f].defined:
                return Side(end, end)
        return towards(s, lower)

    def _face(self, p: Pair, i: int, at: Side, strictly: bool, side: Side) -> bool:
        """Whether the writing is nonnegative on the whole face of the domain where variable `i` is
        `at`, by a proof there.
        """
        full = self.task.box[i]
        if self.prove is None or self.task.depth > 2 or at.lo not in (full.lo, full.hi):
            return False
        strict = self.task.strict and not (strictly and not side.contains(at.lo))
        key = (p, i, at.lo == full.lo, strict)
        if key in self.faces:
            return self.faces[key]
        v = self.program.on(self.slopes[p].sample(i, at.lo))[self.index[p]]
        # It is false there, or cutting may settle it more cheaply than a proof for the whole face.
        if v.neg or (self.out.boxes < 40 and v.pos):
            return False
        x = self.task.symbols[i]
        self.faces[key] = False
        try:
            e = sp.expand(put(self.slopes[p].f, {x: sympy_rational(at.lo)}))
        except ValueError:  # undecided, or undefined on the face
            return False
        if not e.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
            rest = [j for j in range(len(self.task.symbols)) if j != i]
            symbols, box = tuple(self.task.symbols[j] for j in rest), tuple(self.task.box[j] for j in rest)
            self.faces[key] = self.prove(Task(symbols, box, [e], strict, depth=self.task.depth + 1))
        return self.faces[key]

    def _mean_value(self, box: Box, f: int, gradient: Sequence[Iv | None]) -> Iv | None:
        """The enclosure ``f(centre) + slopes * (x - centre)`` if it shows the inequality: near a
        minimum it is narrower by one order in the size of the box than that of the function itself.
        """
        if any(s.infinite for s in box):
            return None
        centre = tuple(Side(m, m) for m in ((s.lo + s.hi) / 2 for s in box))
        v = self.program.on(centre)[f]
        for s, c, g in zip(box, centre, gradient):
            if s.point:
                continue
            if g is None:
                return None
            v = v + g * s.iv(1, -c.lo)
        return v if v.defined and self._good(v) else None

    def _contact(self, box: Box, p: Pair) -> bool:
        """Taylor's formula at a value of one variable where the writing vanishes with its first
        derivatives, for all others.
        """
        slopes, f = self.slopes[p], self.index[p]
        for i, s in enumerate(box):
            for at in slopes.suspects(i):
                above, below = s.lo is not None and s.lo >= at, s.hi is not None and s.hi <= at
                apart = (above or below) and not s.contains(at)
                values = self.program.on((*box[:i], hull(s, at), *box[i + 1 :]))
                for m, d in slopes.contacts(i, at):
                    w = values[d]
                    one_sign = (w.nonneg and (m % 2 == 0 or above)) or (w.nonpos and m % 2 == 1 and below)
                    enough = not self.task.strict or (apart and w.nonzero)
                    if one_sign and enough and w.defined and values[f].defined:
                        return True
        return False

    def _cut(self, node: _Node, low: arb) -> Children | None:
        """The two halves of a box, cut across its widest side; they wait in the queue by the lower
        bound of the function, the least first, so that failures show early.
        """
        i = max(range(len(node.box)), key=lambda j: width(node.box[j]))
        parts = halves(node.box[i])
        if parts is None:
            return None
        return [
            (_float(low), _Node((*node.box[:i], part, *node.box[i + 1 :]), node.free, node.writings))
            for part in parts
        ]


def _float(v: arb) -> float:
    """About `v`, as a place in the queue; what is below every float comes first."""
    try:
        return float(v)
    except (OverflowError, ValueError):
        return -1e308
