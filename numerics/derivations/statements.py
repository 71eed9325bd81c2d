"""Statements are built apart from derivations, and the kernel decides whether a theorem is one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.derivations.derived import chain
from numerics.derivations.kernel.rules import arithmetic
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import Function, Number, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.typeset import assumptions_latex, relation, where_latex
from numerics.derivations.worlds import breaking
from numerics.evidence import Evidence, Verdict, confirmed
from numerics.evidence.verdict import CEILING
from numerics.provers.remembered import Note, note

__all__ = ["Statement", "derived", "from_sympy", "hypotheses", "proved"]

STRENGTH = {"<=": ("<=", "<", "=="), "<": ("<",), "==": ("==",)}


@dataclass(frozen=True)
class Statement:
    """``lhs op rhs`` under hypotheses, for functions of the orders that they were declared with."""

    lhs: Term
    op: str
    rhs: Term
    assumptions: frozenset[Assumption] = frozenset()

    @property
    def functions(self) -> frozenset[Function]:
        return frozenset().union(*(e.functions for e in self._terms))

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset().union(*(e.free for e in self._terms))

    @property
    def dimension(self) -> str:
        """Tokens, queries and coordinates are of any number; numbers, times, steps and tasks have
        none.
        """
        sorts = {sort for g in self.functions for sort in g.sorts}
        return "every d" if sorts - {Sort.TIME, Sort.STEP, Sort.TASK} else ""

    @property
    def _terms(self) -> tuple[Term, ...]:
        return (self.lhs, self.rhs, *(x for a in self.assumptions for x in (a.lhs, a.rhs)))


def hypotheses(*given: Theorem) -> frozenset[Assumption]:
    """The hypotheses of a statement, from what `assume` made of each. A theorem that was derived is
    refused: what it assumes is what its derivation happened to use, and has to be written out.
    """
    for thm in given:
        if thm.premises or [(a.lhs, a.op, a.rhs) for a in thm.assumptions] != [(thm.lhs, thm.op, thm.rhs)]:
            raise ProofError(
                f"{thm} was derived ({thm.rule}); a statement names each hypothesis, so write out what "
                "`assume` made"
            )
    return frozenset().union(*(thm.assumptions for thm in given))


#: How many boxes the prover looks at to compare the right side of a theorem with that of a
#: statement, and with that of one which the search has refuted: if that one can be shown, one of
#: the two programs is wrong, and for such a find a fiftieth of the effort has to do.
EFFORT, REFUTED_EFFORT = 1_000_000, 20_000


def proved(statement: Statement, theorem: Theorem, effort: int = EFFORT) -> Theorem:
    """The theorem in the words of the statement; `effort` is for the comparison of their right
    sides.

    Refused if its left side does not have the normal form of the statement's, its right side is not
    shown to be at most the statement's, its relation is weaker, or it assumes more: a hypothesis or
    a function that the statement does not have.
    """
    try:
        found = chain(statement.lhs, theorem, statement.rhs)
    except ProofError:  # what was shown may be more
        found = chain(statement.lhs, theorem, arithmetic(theorem.rhs, "<=", statement.rhs, effort=effort))
    if (found.lhs, found.rhs) != (statement.lhs, statement.rhs):
        raise ProofError("the derivation shows something else than the statement")
    if found.op not in STRENGTH[statement.op]:
        raise ProofError(f"the derivation shows {found.op}, and the statement says {statement.op}")
    if more := found.assumptions - statement.assumptions:
        raise ProofError(f"the derivation assumes more than the statement: {', '.join(map(str, more))}")
    if extra := found.functions - statement.functions:
        raise ProofError(
            f"the derivation speaks of {', '.join(g.name for g in extra)}, and the statement does not"
        )
    note(Note("proved", statement, found))
    return found


def derived(statement: Statement, proof: Callable[[], Theorem], search: Evidence) -> Evidence:
    """PROVED, or CERTIFIED, if the derivation goes through, or ARGUED, if it assumes a result that
    is argued, with a `search` for counterexamples as a second route, which gives slack and refutes.
    If it does not, what the search says, and the step at which the derivation stops.

    Where the search is a proof, which can be of a part only, the statement itself is evaluated in
    finite worlds: a world that breaks it is told beside what is refuted; what is proved of a part
    is REFUTED with it, and OPEN without. A search that refutes what was derived is a
    `Contradiction`.
    """
    started = time.perf_counter()
    checked = relation(statement.lhs, statement.op, statement.rhs) + where_latex(statement.lhs, statement.rhs)
    try:
        found = proved(statement, proof(), REFUTED_EFFORT if search.verdict is Verdict.REFUTED else EFFORT)
    except ProofError as stop:
        note = f"the derivation stops: {stop}"
        if search.verdict is Verdict.SUPPORTED:
            return search.replace(covered=f"{search.covered}; {note}")
        # What a prover says is about a part of the statement; a search is about the whole of it.
        world = breaking(statement) if CEILING[search.engine].executed else None
        if search.verdict.accepted and world is not None:
            broken = Evidence(verdict=Verdict.REFUTED, engine="enumeration", witness=world, witness_by="Arb")
            return broken.replace(checked=checked, sides=search.sides)
        if search.verdict.accepted:
            return Evidence(verdict=Verdict.OPEN, engine="derivation", checked=checked, reason=note)
        # However many parts the search has, they are about one statement.
        worst = search
        while worst.parts:
            worst = min(worst.parts, key=lambda e: e.verdict.strength)
        fails = (
            ""
            if world is None
            else (
                f"in a finite world the sides of the whole statement are {world['left']} and {world['right']}"
            )
        )
        return search.replace(engine=worst.engine, parts=(), covered=fails or search.covered)
    evidence = Evidence(
        verdict=Verdict.CERTIFIED if found.certified else Verdict.PROVED,
        engine="derivation",
        checked=checked,
        covered=f"{len(found.steps())} steps of the kernel",
        dimension=statement.dimension,
        assumes=assumptions_latex(found),
        cites=tuple(a.name for a in sorted(found.assumptions, key=lambda a: a.name) if a.cited),
        slack=search.slack,
        tightest=search.tightest,
        sides=search.sides,
        seconds=time.perf_counter() - started,
    )
    if argued := sorted({a.argument for a in found.assumptions if a.argument}):
        evidence = evidence.argued("; ".join(argued))
    return confirmed(evidence, search)


def from_sympy(e: sp.Expr, values: Mapping[sp.Symbol, Any]) -> Term:
    """A bound of `theory`, an expression of SymPy, as a term; a symbol without a term is refused.

    >>> from numerics.derivations.kernel.sorts import REALS
    >>> x = sp.Symbol("x")
    >>> print(from_sympy(sp.exp(2 * x), {x: Variable("x", range=REALS)}))
    exp((2*x))
    """
    heads = {
        sp.Add: "add",
        sp.Mul: "mul",
        sp.Pow: "pow",
        sp.exp: "exp",
        sp.log: "log",
        sp.Max: "max",
        sp.Min: "min",
    }
    if e in values:
        return term(values[e])
    if isinstance(e, sp.Rational):
        return Number(Fraction(int(e.p), int(e.q)))
    if e is sp.E:
        return Op("exp", (Number(Fraction(1)),))
    if e.func not in heads:
        raise ProofError(f"{e} is no term; give a term for each symbol")
    return Op(heads[e.func], tuple(from_sympy(a, values) for a in e.args))
