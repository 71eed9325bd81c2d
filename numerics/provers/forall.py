"""`forall`: decide an inequality for all real (or whole) values of its variables, and say which argument decided it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers.branch import Cover, Outcome, Task, centre
from numerics.provers.change import change
from numerics.provers.enclose import Box, Program, conditions
from numerics.provers.exact import one_variable, sign, slack_variables
from numerics.provers.forms import Signs, alternatives, forms
from numerics.provers.kernels import Changed, algebraic, inverted, led, products
from numerics.provers.search import Scan, scan, simplest
from numerics.provers.statement import Statement, precision, statement

__all__ = ["forall"]


def forall(
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[sp.Symbol, Any],
    *,
    where: Iterable[Any] = (),
    via: Mapping[sp.Symbol, Any] | None = None,
    effort: float = 4.0,
) -> Evidence:
    """Decide ``lhs op rhs`` for every point of a domain.

    Parameters
    ----------
    lhs, rhs : SymPy expression
        The two sides, apart, because SymPy's relations evaluate themselves.
    op : str
        One of ``<=``, ``<``, ``>=``, ``>``.
    domain : Mapping[Symbol, range]
        The range of each variable: a pair ``(lo, hi)`` is the open interval, `Closed(lo, hi)` has its finite ends, a SymPy ``Interval``
        says it itself, `Integers(lo, hi)` are whole numbers with both ends. Ends are rational or infinite.
    where : iterable of (lhs, op, rhs) or SymPy inequalities
        Hypotheses. A counterexample meets them; a proof may use them.
    via : Mapping[Symbol, expression], optional
        New variables as functions of the old ones. The prover eliminates an old variable and works in the new ones, with whole numbers
        relaxed to real ones; counterexamples are looked for, and reported, in the old variables only.
    effort : float
        Seconds after which the answer is OPEN.

    Returns
    -------
    Evidence
        PROVED by exact arithmetic, CERTIFIED by enclosures over the whole domain, REFUTED with a point of the domain that meets every
        hypothesis, or OPEN. `slack` is the larger side over the smaller one at the tightest point that was found, where both are positive.

    Raises
    ------
    TypeError
        If a float occurs: it is not the number that was meant.
    ValueError
        If a variable has no range, a range is empty, a symbol assumes more than its range implies, or no point meets the hypotheses.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> forall(sp.exp(-x), "<=", 5 * x**-4, {x: (0, sp.oo)}).verdict.value
    'CERTIFIED'
    >>> dict(forall(sp.exp(-x), "<=", 4 * x**-4, {x: (0, sp.oo)}).witness)
    {'x': 3}
    """
    start = time.monotonic()
    st = statement(lhs, op, rhs, domain, where)
    with precision(64):
        ev = _Run(st, via or {}, start + effort).decide()
    return ev.replace(checked=st.checked, covered=st.covered, seconds=time.monotonic() - start)


class _Run:
    def __init__(self, st: Statement, via: Mapping[sp.Symbol, Any], deadline: float) -> None:
        self.st, self.deadline = st, deadline
        self.changed = change(st, via) if via else None
        self.seen = scan(st)
        self.exact = True  # every step so far was exact arithmetic

    def decide(self) -> Evidence:
        st = self.st
        if self.seen.witness is not None:
            return self.refuted()
        if st.where and self.seen.feasible is None:
            self.search_feasible()
        gap = self.undefined()
        if gap:
            return self.open(gap)
        if self.seen.feasible is None and st.where:
            return self.open("no point was found that meets the hypotheses: the statement may be vacuous")
        engines: set[str] = set()
        outcome = Outcome(False)
        if self.changed:
            symbols, box, small, big, where = self.changed
            outcome = self.cover(symbols, box, big - small, where, None, engines)
        if not outcome.proved:
            engines = set()
            outcome = self.cover(st.symbols, st.box, st.difference, st.where, self.probe, engines)
        if outcome.proved:
            exact = self.exact and not engines & {"branch and bound", "critical points"}
            engine = next(
                (n for n in ("branch and bound", "critical points", "Bernstein", "Sturm", "exact sign") if n in engines),
                "exact sign",
            )
            engine = engine if exact or engine == "critical points" else "branch and bound"
            verdict = Verdict.PROVED if exact else Verdict.CERTIFIED
            return Evidence(verdict=verdict, engine=engine, margin=outcome.margin, **self.tight())
        return self.refuted() if self.seen.witness is not None else self.open(outcome.reason)

    def open(self, reason: str) -> Evidence:
        return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason, **self.tight())

    def refuted(self) -> Evidence:
        p = self.seen.witness
        assert p is not None
        by = self.seen.witness_by
        engine = "exact arithmetic" if by == "exact" else "interval arithmetic"
        return Evidence(verdict=Verdict.REFUTED, engine=engine, witness=self.st.named(p), witness_by=by)

    def tight(self) -> dict[str, Any]:
        s = self.seen
        if s.ratio is None or s.tightest is None or s.ratio < 1:
            return {}
        return {"slack": s.ratio, "tightest": {k: f"{float(v):.6g}" for k, v in self.st.named(s.tightest).items()}}

    def search_feasible(self) -> None:
        """Find a point that meets the hypotheses, or show that there is none: nothing is proved of the empty set."""
        st = self.st
        task = Task(st.symbols, st.box, [[-g] for g, _ in st.where], True)
        if Cover(task, 2000, self.deadline, self.probe_feasible).run().proved:
            raise ValueError(f"no point meets the hypotheses: {st.covered}")

    def probe_feasible(self, box: Box) -> bool:
        p = centre(box)
        if self.st.meets(p):
            self.seen.feasible = p
        return self.seen.feasible is not None

    def undefined(self) -> str:
        """The first subexpression that could not be shown to be defined at every point that meets the hypotheses, or nothing."""
        st = self.st
        signs = Signs(Program(st.symbols), st.box)
        for g, kind in dict.fromkeys([*conditions(st.small), *conditions(st.big)]):
            if self.holds(g, kind, signs):
                continue
            return f"{g} {kind} 0 could not be shown on the domain, so the statement may be undefined"
        return ""

    def holds(self, g: sp.Expr, kind: str, signs: Signs) -> bool:
        st, strict = self.st, kind != ">="
        for e in (g, -g) if kind == "!=" else (g,):
            if g.is_number or exactly(e, st.symbols, st.box, strict, st.where)[0]:
                v = signs.of(g)
                if not g.is_number or (v is not None and (v.pos or (kind == "!=" and v.neg) or (kind == ">=" and v.nonneg))):
                    return True
        for h, firm in st.where:
            ratio = sp.cancel(g / h) if h != 0 else sp.nan
            if ratio.is_Rational and ((ratio > 0 and (firm or kind == ">=")) or (ratio < 0 and kind == "!=" and firm)):
                return True
        self.exact = False
        v = signs.of(g)
        if v is not None and (v.pos or (kind == "!=" and v.neg) or (kind == ">=" and v.nonneg)):
            return True
        for e in (g, -g) if kind == "!=" else (g,):
            task = Task(st.symbols, st.box, [[e]], strict, st.where)
            stop = lambda b, e=e: st.violates(e, centre(b))  # noqa: E731
            if Cover(task, 300, self.deadline, stop).run().proved:
                return True
        return False

    def cover(
        self,
        symbols: tuple[sp.Symbol, ...],
        box: Box,
        e: sp.Expr,
        where: tuple[tuple[sp.Expr, bool], ...],
        probe: Callable[[Box], bool] | None,
        engines: set[str],
    ) -> Outcome:
        """Prove ``e >= 0`` (``> 0``), by exact arithmetic where that can do it."""
        signs = Signs(Program(symbols), box)
        goals = alternatives(e, signs)
        out = Outcome(True)
        for alts in goals:
            engine = ""
            for a in alts:
                engine, bad = exactly(a, symbols, box, self.st.strict, where)
                if engine:
                    break
                if bad is not None and probe and len(goals) == len(alts) == 1 and self.keep((bad,)):
                    return Outcome(False, reason="counterexample")
            if not engine:
                out = self.enclosed(Task(symbols, box, [[a] for a in alts], self.st.strict, where), probe)
                engine = "branch and bound"
            if not out.proved:
                return out
            engines.add(engine)
        return out if len(goals) == 1 else replace(out, margin=None)

    def enclosed(self, task: Task, probe: Callable[[Box], bool] | None = None) -> Outcome:
        """Branch and bound, first as it stands and then with infinite ends turned into finite ones."""
        out = self.run(task, probe, 60 if task.depth == 0 else 500)
        if out.proved or out.reason == "counterexample":
            return out
        if task.depth < 2 and len(task.alternatives) == 1:
            for pieces in self.rewritings(task):
                tasks = [Task(x, b, [[e]], task.strict, w, depth=1 + task.depth) for e, x, b, w in pieces]
                if tasks and all(self.shown(t) for t in tasks):
                    return Outcome(True)
        return self.run(task, probe, 20000) if task.depth == 0 else out

    def rewritings(self, task: Task) -> Iterator[list[Changed]]:
        """Other variables for a task, each as a list of tasks which together imply it."""
        given = (task.alternatives[0][0], task.symbols, task.box, task.where)
        yield from products(*given)
        infinite = [s for s in task.box if s.lo is None or s.hi is None]
        if len(infinite) == 1 and not infinite[0].integer:
            yield inverted(*given)
        elif len(infinite) > 1:
            yield led(*given)

    def shown(self, task: Task) -> bool:
        e = task.alternatives[0][0]
        return bool(exactly(e, task.symbols, task.box, task.strict, task.where)[0]) or self.enclosed(task).proved

    def run(self, task: Task, probe: Callable[[Box], bool] | None, boxes: int) -> Outcome:
        signs = Signs(Program(task.symbols), task.box)
        full = replace(task, alternatives=[list(forms(a[0], signs)) for a in task.alternatives])
        return Cover(full, boxes, self.deadline, probe, self.face).run()

    def face(self, task: Task) -> Outcome:
        """The inequality on a face of the box, needed there without hypotheses."""
        return Outcome(self.shown(task))

    def keep(self, p: tuple[Fraction, ...]) -> bool:
        """Keep `p`, made simpler, if it is a counterexample."""
        by = self.st.violated(p)
        if by:
            self.seen.witness = simplest(self.st, p)
            self.seen.witness_by = self.st.violated(self.seen.witness)
        return bool(by)

    def probe(self, box: Box) -> bool:
        return self.keep(centre(box))


def exactly(
    e: sp.Expr, symbols: tuple[sp.Symbol, ...], box: Box, strict: bool, where: tuple[tuple[sp.Expr, bool], ...]
) -> tuple[str, Fraction | None]:
    """The exact engine that proves ``e >= 0`` (``> 0``) where all hypotheses hold, or a value of the only variable that refutes it."""
    if not e.free_symbols:
        return ("exact sign" if e.is_Rational and (e > 0 or (not strict and e == 0)) else ""), None
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
        engine = sign(f.subs(put), new, region, strict)
        if engine:
            return engine, None
    return "", None
