"""Statements of the second attack: each finds fault with an answer by mpmath's values alone."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import forall
from tests.numerics.provers.soundness.search import Axis, Hypothesis, Terms
from tests.numerics.provers.soundness.values import Out, Point

__all__ = ["Case", "Inequality", "accepted"]


class Case(Protocol):
    """A statement, and the judge of what a prover says of it."""

    def ask(self, effort: int) -> Any:
        """What the prover says."""

    def fault(self, answer: Any, rng: random.Random) -> str:
        """What is wrong with an answer; empty if nothing was found."""


def accepted(e: Evidence) -> bool:
    return e.verdict.value in ("PROVED", "CERTIFIED")


@dataclass
class Inequality:
    """``lhs op rhs`` on a domain; `hints` are looked at first; `touches`: equal at the first."""

    lhs: Any
    op: str
    rhs: Any
    axes: dict[sp.Symbol, Axis]
    where: Sequence[Hypothesis] = ()
    via: dict[sp.Symbol, Any] | None = None
    hints: Sequence[Point] = ()
    touches: bool = False

    def ask(self, effort: int) -> Evidence:
        domain = {s: a.spec() for s, a in self.axes.items()}
        return forall(self.lhs, self.op, self.rhs, domain, where=self.where, via=self.via, effort=effort)

    def fault(self, e: Evidence, rng: random.Random) -> str:
        if accepted(e):
            terms = self.terms()
            if self.touches and len(self.op) == 1 and terms.meets(self.hints[0]):
                at = [str(q) for q in self.hints[0]]
                return f"{e.verdict.value} by {e.engine}, but the sides are equal at {at}: {self}"
            point = terms.counterexample(self.hints, rng)
            said = f"{e.verdict.value} by {e.engine}, but false at {[str(q) for q in point or ()]}: {self}"
            return "" if point is None else said
        return self.witness_fault(e) if e.verdict.value == "REFUTED" else ""

    def terms(self) -> Terms:
        small, big = (self.lhs, self.rhs) if self.op[0] == "<" else (self.rhs, self.lhs)
        return Terms(small, big, self.axes, self.where, len(self.op) == 1)

    def witness_fault(self, e: Evidence) -> str:
        terms, seen = self.terms(), dict(e.witness)
        point = [Fraction(str(seen[str(s)])) for s in self.axes]
        if terms.meets(point) is False:
            return f"the witness {seen} is not in the domain, or a hypothesis fails there: {self}"
        try:
            sign = terms.order(point)
        except OverflowError:
            return ""
        except Out as error:
            return f"at the witness {seen} a side has no value ({error}): {self}"
        holds = sign is not None and sign >= (1 if len(self.op) == 1 else 0)
        return f"the statement holds at the witness {seen}: {self}" if holds else ""

    def __str__(self) -> str:
        spec = {str(s): a.spec() for s, a in self.axes.items()}
        via = f", via={self.via}" if self.via else ""
        return f"forall({self.lhs}, {self.op!r}, {self.rhs}, {spec}, where={list(self.where)}{via})"
