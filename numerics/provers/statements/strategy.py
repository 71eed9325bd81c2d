"""The order in which engines try to prove an inequality: exact arithmetic first, then branch and
bound on the statement and on its rewritings, in turns. Every turn is longer than the one before and
continues where its predecessor stopped. A rewriting that decides at once is therefore not kept
waiting by a form that never will.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from numerics.provers.effort import CONSEQUENCES, EXACT, Effort
from numerics.provers.enclosures.boxes import Box, middle
from numerics.provers.enclosures.enclose import Program
from numerics.provers.exact import exact_numbers
from numerics.provers.exact.consequences import Certificate, consequence
from numerics.provers.exact.rational_functions import one_variable, sign, slack_variables
from numerics.provers.statements.angles import half_angles, half_turns, unwound
from numerics.provers.statements.branch import Cover, Outcome, Task
from numerics.provers.statements.derivative import LONGEST, arguments
from numerics.provers.statements.equivalent_forms import Signs, bare, forms
from numerics.provers.statements.induction import steps
from numerics.provers.statements.rational_variables import (
    Changed,
    algebraic,
    exponentials,
    inverted,
    led,
    products,
    tightened,
)
from numerics.provers.statements.sample import Sample
from numerics.provers.statements.substitution import hypotheses_as_variables
from numerics.rationals import sympy_rational

__all__ = ["EXACT_ENGINES", "FEW_TURNS", "Proof", "Slopes", "exactly", "is_given"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]
Probe = Callable[[Box], bool]

#: For each turn, how many boxes may be looked at, and how many rewritings may follow each other.
TURNS = ((60, 0), (100, 1), (400, 0), (400, 1), (200, 2), (2000, 1), (1000, 2), (50000, 0))
#: The same for auxiliary statements: that an expression is defined, or the inequality on a face.
FEW_TURNS = ((60, 0), (200, 1))
#: After so many turns what is left undecided is looked for among the consequences of hypotheses.
EASY_TURNS = 1

#: For a part of an argument.
PART_TURNS = ((60, 0),)
#: Arguments by derivatives that are looked at for one task.
MOST_ARGUMENTS = 60

#: What is said of an argument by steps from x to x + 1.
BY_STEPS = "by a base and a step from each number to the next, or by the limit and a step back"

#: The engines that take exact steps only, the strongest tool first.
EXACT_ENGINES = ("derivatives", "Positivstellensatz", "Bernstein", "Sturm", "exact sign")


class Slopes(NamedTuple):
    """How often derivatives may be taken of derivatives, how many parts may be tried, and those
    that were tried: for each the depth, and the proof.
    """

    depth: int
    left: int
    tried: dict[Hashable, tuple[int, Proof]]


class Proof:
    """An attempt at a task that can be continued, by its own boxes or by its rewritings."""

    def __init__(
        self, task: Task, effort: Effort, probe: Probe | None = None, slopes: Slopes | None = None
    ) -> None:
        self.task, self.effort, self.probe = task, effort, probe
        self.slopes = slopes or Slopes(0, 0, {})
        self.cover: Cover | None = None
        self.pieces: list[list[Proof]] | None = None
        self.out = Outcome(False)
        self.engine = ""
        self.engines: set[str] = set()
        self.words: tuple[str, ...] = ()
        self.certificate: Certificate | None = None
        self.refuted_at: Fraction | None = None  # a value of the only variable

    def run(self, turns: tuple[tuple[int, int], ...] = TURNS) -> Outcome:
        """Take turns until the task is proved, refuted or given up."""
        if self.exact():
            return Outcome(True)
        for turn, (boxes, depth) in enumerate(turns):
            if turns is TURNS and turn == EASY_TURNS and (self.follows() or self.by_slopes_apart()):
                return Outcome(True)
            if self.advance(boxes, depth) or self.out.reason == "counterexample" or self.late():
                break
        return self.out

    def advance(self, boxes: int, depth: int) -> bool:
        """One more turn; whether the task is proved now."""
        if self.out.proved or self.late():
            return self.out.proved
        if self.cover is None:
            signs = Signs(Program(self.task.symbols, self.effort), self.task.box)
            self.cover = Cover(self.task, self.effort, self.probe, self.aside, lambda f: forms(f, signs))
        if not self.cover.stuck and (depth == 0 or self.task.depth):
            self.out = self.cover.run(boxes)
            if self.out.proved or self.out.reason == "counterexample":
                return self.out.proved
        if depth and len(self.task.alternatives) == 1 and not self.late():
            if self.pieces is None:
                self.pieces = [[Proof(t, self.effort) for t in tasks] for tasks in self.rewritings()]
            for proofs in self.pieces:
                if proofs and all(p.exact() or p.advance(boxes, depth - 1) for p in proofs):
                    self.out = Outcome(True)
                    return True
        return False

    def late(self) -> bool:
        if not self.effort.over:
            return False
        self.out.reason = self.out.reason or "the effort was spent before anything was decided"
        return True

    def exact(self) -> bool:
        """Whether exact arithmetic, or the sign of a number, proves one of the alternatives; tried
        once.
        """
        if not self.engine:
            t = self.task
            self.effort.spent += EXACT
            found = [exactly(a, t.symbols, t.box, t.strict, t.where) for a in t.alternatives]
            self.engine = next((name for name, _ in found if name), "branch and bound")
            self.refuted_at = found[0][1] if len(found) == 1 else None
        return self.engine != "branch and bound"

    def follows(self) -> bool:
        """Whether one of the alternatives is a combination of hypotheses and squares."""
        t = self.task
        if self.effort.limit - self.effort.spent < CONSEQUENCES:
            return False
        self.effort.spent += CONSEQUENCES
        for e in t.alternatives:
            f, names, sides, where = algebraic(e, t.symbols, t.box, (*t.where, *t.known))
            ranges = (gap for x, side in zip(names, sides) for gap in side.gaps(x))
            found = consequence((f, t.strict), [*where, *ranges])
            if found is not None:
                self.engine = "Positivstellensatz"
                self.certificate = found if names == t.symbols else None  # else it is in other variables
                return True
        return False

    def by_slopes_apart(self) -> bool:
        """The same as `by_slopes`, whose steps are counted by themselves."""
        with self.effort.apart():
            return self.by_slopes()

    def by_slopes(self) -> bool:
        """Whether derivatives prove the task."""
        depth, t = self.slopes.depth, self.task
        if not depth or len(t.alternatives) > 1 or not t.symbols:
            return False
        if not t.depth and t.alternatives[0].is_rational_function(*t.symbols):
            return False  # the exact engines know more of it, but for parts they may know too little
        found = []
        for a in itertools.islice(arguments(self.task, self.plainly), MOST_ARGUMENTS):
            self.effort.spent += EXACT
            if a.slope.count_ops() <= LONGEST and not any(Sample(t).refutes(t) for t in a.tasks):
                found.append(a)
        found.sort(key=lambda a: a.size)
        # Derivatives of gamma are longer than its steps; else the short proofs come first.
        by_steps = ((depth - 1, tuple(tasks), (BY_STEPS,)) for tasks in steps(self.task))
        by_slopes = ((deeper, a.tasks, a.words) for deeper in range(depth) for a in found)
        tried: Iterator[tuple[int, Iterable[Task], tuple[str, ...]]]
        tried = itertools.chain(by_steps, by_slopes)
        return any(self.together(*row) for row in tried)

    def together(self, depth: int, tasks: Iterable[Task], words: tuple[str, ...]) -> bool:
        """Whether all parts of an argument are proved."""
        proofs = []
        for t in tasks:
            if len(self.slopes.tried) >= self.slopes.left or self.late():
                return False
            proofs.append(proof := self.part(t, depth))
            if not proof.out.proved:
                return False
        self.engine = "derivatives"
        self.engines.update(*(p.engines | {p.engine} for p in proofs))
        self.words = (*words, *(w for p in proofs for w in p.words))
        return True

    def part(self, task: Task, depth: int) -> Proof:
        """An attempt at a part of an argument: by few boxes, as a combination of hypotheses, or by
        further derivatives.
        """
        tried = self.slopes.tried
        before, proof = tried.get(task.key, (-1, None))
        if proof is None or (before < depth and not proof.out.proved):
            proof = proof or Proof(task, self.effort)
            proof.slopes = self.slopes._replace(depth=depth)
            tried[task.key] = depth, proof
            if before < 0:
                proof.out.proved = proof.run(PART_TURNS).proved
                if not proof.out.proved and (len(task.symbols) > 1 or task.where):
                    proof.out.proved = proof.follows()
            proof.out.proved = proof.out.proved or proof.by_slopes()
        return proof

    def plainly(self, task: Task) -> bool:
        """Whether exact arithmetic or a few boxes prove what seems to be true."""
        return not Sample(task).refutes(task) and Proof(task, self.effort).run(PART_TURNS).proved

    def rewritings(self) -> Iterator[list[Task]]:
        """Other variables for the task, each as a list of tasks which together imply it."""
        task = self.task
        given = (task.alternatives[0], task.symbols, task.box, task.where)
        infinite = [s for s in task.box if s.lo is None or s.hi is None]
        found: list[list[Changed]] = [
            [(g.big, g.symbols, g.box, g.where)] for g in hypotheses_as_variables(*given)
        ]
        found += products(*given)
        found += exponentials(*given)
        if len(infinite) == 1:
            found.append(inverted(*given))
        elif len(infinite) > 1:
            found.append(led(*given))
        found += tightened(*given)
        found += half_angles(*given)
        found += half_turns(*given)
        for pieces in found:
            yield [Task(x, b, [e], task.strict, w, depth=1 + task.depth) for e, x, b, w in pieces]
        yield from unwound(task)

    def aside(self, task: Task) -> bool:
        """Whether an auxiliary task is proved in few turns."""
        return Proof(task, self.effort).run(FEW_TURNS).proved


def exactly(
    e: sp.Expr, symbols: tuple[sp.Symbol, ...], box: Box, strict: bool, where: Hypotheses
) -> tuple[str, Fraction | None]:
    """The exact engine that proves ``e >= 0`` (``> 0``) where all hypotheses hold, or a value of
    the only variable against it.
    """
    if not e.free_symbols:
        s = exact_numbers.sign(e)
        holds = s is not None and s >= (1 if strict else 0)
        return ("" if not holds else "exact sign" if e.is_Rational else "interval arithmetic"), None
    f, names, sides, hyps = algebraic(e, symbols, box, where)
    if not f.is_rational_function(*names):
        return "", None
    hyps = tuple((g, s) for g, s in hyps if g.is_rational_function(*names))
    used = [i for i, x in enumerate(names) if f.has(x)]
    if len(used) == 1:
        x = names[used[0]]
        own = [(g, s) for g, s in hyps if g.free_symbols <= {x}]
        found = one_variable(f, x, sides[used[0]], strict, own)
        if found is True:
            return "Sturm", None
        if isinstance(found, Fraction) and names == symbols and len(symbols) == 1 and len(own) == len(where):
            return "", found
    for put, new, region in slack_variables(names, sides, hyps):
        g = f.subs(put)
        if all(g.xreplace(at).is_nonnegative is not False for at in _samples(new, region)):
            engine = sign(g, new, region, strict)
            if engine:
                return engine, None
    return "", None


def is_given(e: sp.Expr, strict: bool, where: Hypotheses) -> bool:
    """Whether a hypothesis ``h >= 0`` (``> 0``) says ``e >= 0`` (``> 0``), since ``e/h`` is
    positive by SymPy's assumptions; it is defined wherever both are, so that ``e`` is 0 where ``h``
    is.
    """
    return any(
        (firm or not strict) and set() < h.free_symbols <= e.free_symbols and bare(sp.cancel(e / h)) == 1
        for h, firm in where
    )


def _samples(symbols: tuple[sp.Symbol, ...], box: Box) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """A few points of a box: most of what is false is false at one of them."""
    rows = []
    for s in box:
        m = sympy_rational(middle(s))
        low = m - 3 if s.lo is None else (m + sympy_rational(s.lo)) / 2
        high = m + 3 if s.hi is None else (m + sympy_rational(s.hi)) / 2
        rows.append((m, low, high))
    for k in range(9):
        yield {x: row[(k // 3 if i % 2 else k) % 3] for i, (x, row) in enumerate(zip(symbols, rows))}
