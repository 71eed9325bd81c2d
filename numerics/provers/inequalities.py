"""`forall` decides an inequality for all real (or whole) values of its variables, and says which
argument decided it. It first searches for a counterexample, then shows that both sides are defined
on the domain, then tries exact arithmetic, and covers the domain by boxes on which enclosures
settle the sign; what is left z3 is asked, where it is installed.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers.doors import guarded
from numerics.provers.effort import Effort
from numerics.provers.enclosures.balls import precision
from numerics.provers.enclosures.boxes import Box, Side, centre
from numerics.provers.enclosures.enclose import Program
from numerics.provers.exact.exact_numbers import sign
from numerics.provers.last_engine import Z3, last_opinion
from numerics.provers.open_answers import helped_by, undecided
from numerics.provers.remembered import remembered, without_z3
from numerics.provers.statements.branch import Cover, Outcome, Task
from numerics.provers.statements.equivalent_forms import Signs, alternatives, bare
from numerics.provers.statements.invariance import reductions
from numerics.provers.statements.max_and_min import cases
from numerics.provers.statements.search import scan, simplest
from numerics.provers.statements.statement import Statement, statement
from numerics.provers.statements.strategy import EXACT_ENGINES, FEW_TURNS, Proof, Slopes, is_given
from numerics.provers.statements.substitution import change
from numerics.rationals import flint_rational
from theory.inputs.kinds import check_kind, read_items
from theory.inputs.whole_numbers import read_whole

__all__ = ["forall", "forall_without_z3"]

#: Hypotheses that two things are not equal, of which every sign is tried.
MOST_UNEQUAL = 3
#: How often derivatives are taken of derivatives, and how many parts are tried; for what a side
#: needs to be defined fewer.
SLOPES, SLOPES_OF_NEEDS = (3, 80), (2, 40)


@remembered
@guarded("branch and bound")
def forall(
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[sp.Symbol, Any],
    *,
    where: Iterable[Any] = (),
    via: Mapping[sp.Symbol, Any] | None = None,
    effort: int = 1_000_000,
) -> Evidence:
    """Decide ``lhs op rhs`` for every point of a domain.

    Parameters
    ----------
    lhs, rhs : SymPy expression
        The two sides, apart, because SymPy's relations evaluate themselves. They are shown as they
        are written and may be unevaluated (`numerics.provers.as_written`).
    op : str
        One of ``<=``, ``<``, ``>=``, ``>``.
    domain : Mapping[Symbol, range]
        The range of each variable: a pair ``(lo, hi)`` is the open interval, `Closed(lo, hi)` has
        its finite ends, a SymPy ``Interval`` says it itself, `Integers(lo, hi)` are whole numbers
        with both ends. Ends are rational or infinite.
    where : iterable of (lhs, op, rhs) or SymPy relations
        Hypotheses, whose op may be ``==`` or ``!=``, too. Each is met at the points at which both
        of its sides are defined and it holds: a counterexample surely meets them all, and a proof,
        which may use them, need not speak of points where one of them is undefined.
    via : Mapping[Symbol, expression], optional
        New variables as functions of the old ones. The prover eliminates an old variable and works
        in the new ones, with whole numbers relaxed to real ones; counterexamples are looked for,
        and reported, in the old variables only.
    effort : int
        Steps (`numerics.provers.effort`) after which the answer is OPEN; derivatives may take as
        many again. They are counted, never timed, so that a busy machine does not change a verdict.

    Returns
    -------
    Evidence
        PROVED by exact arithmetic, CERTIFIED by enclosures over the whole domain, REFUTED with a
        point of the domain that meets every hypothesis, or OPEN. An answer of the engine "z3" is
        shown as PROVED (z3): it rests on a solver, if that is installed (the extra `smt`), which
        gives no certificate; while a claim is judged it is not asked. `slack` is the larger side
        over the smaller one at the tightest point that was found, where both are positive.

    Raises
    ------
    TypeError
        If text or a float occurs, neither of which is the number that was meant; if a function
        occurs for which no enclosure is known; or if the effort is no whole number.
    ValueError
        If a variable has no range, a range is empty, a symbol assumes more than its range implies,
        no point meets the hypotheses, or the effort is negative.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> forall(sp.exp(-x), "<=", 5 * x**-4, {x: (0, sp.oo)}).verdict.value
    'CERTIFIED'
    >>> dict(forall(sp.exp(-x), "<=", 4 * x**-4, {x: (0, sp.oo)}).witness)
    {'x': 3}
    """
    start = time.monotonic()
    check_kind(Mapping, domain=domain, via={} if via is None else via)
    check_kind(str, op=op)
    where = read_items(where=where)
    steps = read_whole(
        "effort", effort, "it counts steps, not seconds; leave it out for the usual number", least=0
    )
    with precision(64), sp.evaluate(True):  # the caller's sides may have been built without
        st = statement(lhs, op, rhs, domain, where)
        ask_z3 = lambda: last_opinion(st, (lhs, op, rhs), where, steps)
        ev = _Run(st, via or {}, Effort(steps), ask_z3).decide()
    taken = time.monotonic() - start
    told = {
        "checked": st.checked,
        "covered": st.covered,
        "assumes": st.assumes,
        "vacuous": st.vacuous,
        "sides": (st,),
    }
    return ev.replace(**told, seconds=taken)


#: For whoever draws conclusions of his own, which would not say that they rest on z3.
forall_without_z3 = without_z3()(forall)


class _Run:
    """One call of `forall`: the search first, then every way to a proof."""

    def __init__(
        self,
        st: Statement,
        via: Mapping[sp.Symbol, Any],
        effort: Effort,
        ask_z3: Callable[[], Z3 | None] = lambda: None,
    ) -> None:
        self.st, self.effort, self.ask_z3 = st, effort, ask_z3
        self.changed = change(st, via) if via else None
        self.seen = scan(st)
        self.exact = True  # every step so far was exact arithmetic
        self.steps: tuple[str, ...] = ()
        self.known: list[tuple[sp.Expr, bool]] = []  # of what the two sides need to be defined

    def decide(self) -> Evidence:
        """The verdict, without what only the statement itself knows."""
        st = self.st
        if self.seen.witness is not None:
            return self.refuted()
        if st.where and self.seen.feasible is None:
            self.search_feasible()
        gap = self.undefined()
        if gap:
            ways = "a hypothesis that says so (`where=`)", "a smaller domain"
            return self.open(helped_by(gap, *ways))
        if self.seen.feasible is None and (st.where or st.where_needs):
            reason = "no point was found that meets the hypotheses: the statement may be vacuous"
            ways = "hypotheses that a simple rational point meets", "a smaller domain around such a point"
            return self.open(helped_by(reason, *ways))
        engines: set[str] = set()
        outcome = Outcome(is_given(st.difference, st.strict, st.where))
        if not st.box and st.holds(()):  # at a higher precision than that of boxes
            exact = st.difference.is_Rational
            engine, verdict = (
                ("exact arithmetic", Verdict.PROVED) if exact else ("interval arithmetic", Verdict.CERTIFIED)
            )
            return Evidence(verdict=verdict, engine=engine, **self.tight())
        if self.changed and not outcome.proved:
            g = self.changed
            outcome = self.cover(g.symbols, g.box, g.big - g.small, g.where, None, engines)
        if not outcome.proved:
            engines, self.steps = set(), ()
            outcome = self.reduced(engines)
        if not outcome.proved:
            engines, self.steps = set(), ()
            outcome = self.on_both_sides(engines)
        if not outcome.proved:
            engines, self.steps = set(), ()
            outcome = self.cover(st.symbols, st.box, st.difference, st.where, self.probe, engines)
        if outcome.proved:
            exact = self.exact and engines <= set(EXACT_ENGINES)
            strongest_tool = next((n for n in EXACT_ENGINES if n in engines), EXACT_ENGINES[-1])
            alone = "interval arithmetic" if engines == {"interval arithmetic"} else "branch and bound"
            rigorous = "derivatives" if "derivatives" in engines else alone
            engine, verdict = (strongest_tool, Verdict.PROVED) if exact else (rigorous, Verdict.CERTIFIED)
            found = Evidence(verdict=verdict, engine=engine, margin=outcome.margin, **self.tight())
            return found.replace(steps=tuple(dict.fromkeys(self.steps)))
        if self.seen.witness is None and (said := self.by_z3()) is not None:
            return said
        return self.refuted() if self.seen.witness is not None else self.undecided(outcome.reason)

    def by_z3(self) -> Evidence | None:
        """The evidence that z3 gives, which is no certificate; a point that it names is judged
        here.
        """
        said = self.ask_z3()
        if said is None or (said.point and self.keep(said.point)) or not said.confirmed:
            return None
        return Evidence(verdict=Verdict.PROVED, engine="z3", steps=(said.rests_on,), **self.tight())

    def open(self, words: str) -> Evidence:
        """The evidence that nothing was decided."""
        return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=words, **self.tight())

    def undecided(self, reason: str) -> Evidence:
        changed = self.changed is not None
        return self.open(undecided(self.st, self.seen, self.effort, reason, changed))

    def refuted(self) -> Evidence:
        p = self.seen.witness
        assert p is not None
        by = self.st.violated(p)
        engine = "exact arithmetic" if by == "exact" else "interval arithmetic"
        # Without variables the two sides are all that a reader needs.
        point = self.st.named(p) or {"smaller": str(self.st.small), "larger": str(self.st.big)}
        return Evidence(verdict=Verdict.REFUTED, engine=engine, witness=point, witness_by=by)

    def tight(self) -> dict[str, Any]:
        """Slack and tightest point, where both sides are positive there."""
        s = self.seen
        if s.ratio is None or s.tightest is None or s.ratio < 1 - 1e-12:
            return {}
        # Where the sides are equal, the order in which a product is rounded says which is larger.
        slack = max(1.0, s.ratio)
        return {
            "slack": slack,
            "tightest": {str(n): f"{float(v):.6g}" for n, v in zip(self.st.names, s.tightest)},
        }

    def search_feasible(self) -> None:
        """Find a point that meets the hypotheses, or show that there is none: nothing is proved of
        the empty set.
        """
        st = self.st
        task = Task(st.symbols, st.box, [-g for g, _ in st.where], True)
        if Cover(task, self.effort, self.probe_feasible).run(2000).proved:
            raise ValueError(f"no point meets the hypotheses: {st.covered}")

    def probe_feasible(self, box: Box) -> bool:
        p = centre(box)
        if self.st.meets(p):
            self.seen = replace(self.seen, feasible=p)
        return self.seen.feasible is not None

    def undefined(self) -> str:
        """The first subexpression that could not be shown to be defined at every point that meets
        the hypotheses, or nothing.
        """
        st = self.st
        signs = Signs(Program(st.symbols), st.box)
        self.known += [(g, kind == ">") for g, kind in st.where_needs if kind != "!="]
        for g, kind in st.needs:
            if self.holds(g, kind, signs):
                self.known += [(g, kind == ">")] if kind != "!=" else []
                continue
            return f"{g} {kind} 0 could not be shown on the domain, so the statement may be undefined"
        return ""

    def holds(self, g: sp.Expr, kind: str, signs: Signs) -> bool:
        """Whether ``g > 0``, ``>= 0`` or ``!= 0`` (by `kind`) wherever the hypotheses hold."""
        st, v = self.st, signs.of(g)
        at_once = v is not None and (v.pos or (kind == "!=" and v.neg) or (kind == ">=" and v.nonneg))
        if g.is_number:
            self.exact = self.exact and g.is_Rational
            return at_once or (v is not None and sign(g) in {">": (1,), ">=": (0, 1), "!=": (1, -1)}[kind])
        for h, firm in st.where:
            if kind == "!=" and _unequal(h, firm):  # its square is positive
                h = h.base
            ratio = sp.cancel(g / h) if h != 0 else sp.nan
            if ratio.is_Rational and (
                (ratio > 0 and (firm or kind == ">=")) or (ratio < 0 and kind == "!=" and firm)
            ):
                return True
        for e in (g, -g) if kind == "!=" else (g,):
            stop = lambda b, e=e: st.violates(e, centre(b))
            task = Task(st.symbols, st.box, [e], kind != ">=", st.where, known=tuple(self.known))
            proof = Proof(task, self.effort, stop, Slopes(*SLOPES_OF_NEEDS, {}))
            if at_once and not proof.exact():
                break
            if proof.run(FEW_TURNS).proved or proof.follows() or proof.by_slopes_apart():
                self.exact = self.exact and {proof.engine, *proof.engines} <= set(EXACT_ENGINES)
                self.known.append((e, kind != ">="))
                return True
        self.exact = False
        either = replace(task, alternatives=[g, -g])
        return at_once or (kind == "!=" and Proof(either, self.effort).run(FEW_TURNS).proved)

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
        parts = cases(e, symbols, box)
        if parts != [(e, box)]:
            outcomes = (self.cover(symbols, b, f, where, probe, engines) for f, b in parts)
            return next((o for o in outcomes if not o.proved), Outcome(True))
        signs = Signs(Program(symbols), box)
        goals = alternatives(e, signs)
        out = Outcome(True)
        for alts in goals:
            short = [bare(a) for a in alts]
            names = _connected(short, where)
            inner = [i for i, x in enumerate(symbols) if x in names]
            task = Task(
                tuple(symbols[i] for i in inner),
                tuple(box[i] for i in inner),
                short,
                self.st.strict,
                tuple(h for h in where if h[0].free_symbols <= names),
                known=tuple(k for k in self.known if k[0].free_symbols <= names),
            )

            def whole(part: Box, inner: list[int] = inner) -> Box:
                sides = dict(zip(inner, part))
                return tuple(sides.get(i, s) for i, s in enumerate(box))

            shown = None if probe is None else lambda part, whole=whole: probe(whole(part))
            proof = Proof(task, self.effort, shown, Slopes(*SLOPES, {}))
            if not proof.exact() and shown and proof.refuted_at is not None:
                q = flint_rational(proof.refuted_at)
                if shown((Side(q, q),)):
                    return Outcome(False, reason="counterexample")
            out = proof.run()
            if not out.proved:
                return out
            engines |= {proof.engine, *proof.engines}
            self.steps += proof.words
            if proof.certificate is not None:
                self.steps += proof.certificate.steps(dict(zip(self.st.symbols, self.st.names)))
        return out if goals == [[e]] == [short] else replace(out, margin=None)

    def reduced(self, engines: set[str]) -> Outcome:
        """Prove the statement with one variable less, where scaling or shifting all variables does
        not change its sign.
        """
        st = self.st
        for pieces in reductions(st.difference, st.symbols, st.box, st.where):
            self.steps = ()
            engines.clear()
            with self.effort.half():  # the other half is kept for the statement as it stands
                proved = all(self.cover(x, b, e, w, None, engines).proved for e, x, b, w in pieces)
            if proved:
                return Outcome(True)
        return Outcome(False)

    def on_both_sides(self, engines: set[str]) -> Outcome:
        """Prove the statement on each side of what a hypothesis says is not 0, by its square."""
        st = self.st
        unequal = [i for i, h in enumerate(st.where) if _unequal(*h)]
        if not 0 < len(unequal) <= MOST_UNEQUAL:
            return Outcome(False)
        with self.effort.half():  # the other half is kept for the statement as it stands
            for signs in itertools.product((1, -1), repeat=len(unequal)):
                where = list(st.where)
                for i, s in zip(unequal, signs):
                    where[i] = (s * where[i][0].base, True)
                if not self.cover(st.symbols, st.box, st.difference, tuple(where), None, engines).proved:
                    return Outcome(False)
        return Outcome(True)

    def keep(self, p: tuple[Fraction, ...]) -> bool:
        """Keep `p`, made simpler, if it is a counterexample."""
        if self.st.violated(p):
            self.seen = replace(self.seen, witness=simplest(self.st, p))
            return True
        return False

    def probe(self, box: Box) -> bool:
        return self.keep(centre(box))


def _unequal(h: sp.Expr, strict: bool) -> bool:
    """Whether a hypothesis says that something is not 0: that its square is positive."""
    return strict and h.is_Pow and h.exp == 2


def _connected(goal: list[sp.Expr], where: tuple[tuple[sp.Expr, bool], ...]) -> set[sp.Symbol]:
    """The variables that occur in a goal, or together with such a variable in a hypothesis."""
    names: set[sp.Symbol] = set().union(*(a.free_symbols for a in goal))
    while True:
        more = names.union(*(g.free_symbols for g, _ in where if g.free_symbols & names))
        if more == names:
            return names
        names = more
