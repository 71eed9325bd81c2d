"""A relation as a caller of `forall` writes it: two sides and a sign, or one of SymPy's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from numerics.provers.as_written import Written, latex, scalar

__all__ = ["OPS", "RELATIONS", "SIGNS", "Relation", "hypothesis", "triple"]

#: The signs of an inequality, and how LaTeX writes them.
OPS = {"<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}
#: The same for hypotheses, which may say that two sides are equal, or are not.
SIGNS = {**OPS, "==": "=", "!=": r"\ne"}
RELATIONS = {sp.Le: "<=", sp.Lt: "<", sp.Ge: ">=", sp.Gt: ">", sp.Eq: "==", sp.Ne: "!="}


@dataclass(frozen=True)
class Relation:
    """Two sides as they were given, and the sign between them."""

    lhs: Written
    op: str
    rhs: Written

    @property
    def strict(self) -> bool:
        return self.op in ("<", ">")

    @property
    def small(self) -> Written:
        return self.lhs if self.op[0] == "<" else self.rhs

    @property
    def big(self) -> Written:
        return self.rhs if self.op[0] == "<" else self.lhs

    @property
    def latex(self) -> str:
        return f"{latex(self.lhs.given)} {SIGNS[self.op]} {latex(self.rhs.given)}"

    def gaps(self, small: sp.Expr, big: sp.Expr) -> list[tuple[sp.Expr, bool]]:
        """What is nonnegative, or positive (True), where this holds, for these sides."""
        if self.op == "==":
            return [(big - small, False), (small - big, False)]
        return [((big - small) ** 2, True)] if self.op == "!=" else [(big - small, self.strict)]

    def __str__(self) -> str:
        return f"{self.lhs.given} {self.op} {self.rhs.given}"

    def implies(self, other: Relation) -> bool:
        """Whether the other inequality is this one as written, perhaps read from right to left or
        without its strictness.
        """
        own, sides = ((latex(r.small.given), latex(r.big.given)) for r in (self, other))
        if self.op in ("==", "!="):
            return self.op == "==" and sides in (own, own[::-1]) and not other.strict
        return own == sides and (self.strict or not other.strict)


def hypothesis(h: Any) -> Relation:
    """A hypothesis between numbers; a side that is no exact scalar expression is a TypeError."""
    lhs, op, rhs = triple(h)
    return Relation(scalar(lhs), op, scalar(rhs))


def triple(h: Any) -> tuple[Any, str, Any]:
    """A hypothesis as a triple, from one or from a relation of SymPy. What is neither, or evaluated
    itself to False, is a ValueError. So is Python's True: ``x != y`` compares how two sides are
    written, and says nothing of their values.
    """
    if type(h) in RELATIONS:
        return h.lhs, RELATIONS[type(h)], h.rhs
    if isinstance(h, tuple) and len(h) == 3 and isinstance(h[1], str) and h[1] in SIGNS:
        return h
    if isinstance(h, bool):
        raise ValueError(
            f"a hypothesis is {h} already: Python compared two sides as they are written; write "
            '(x, "!=", y) or sp.Ne(x, y), and (x, "==", y) or sp.Eq(x, y)'
        )
    if h is sp.true:
        return sp.S.Zero, "<=", sp.S.Zero
    if h is sp.false:
        raise ValueError("a hypothesis evaluated itself to False: no point meets the hypotheses")
    raise ValueError(
        f"the hypothesis {h!r:.200} is neither a triple (lhs, op, rhs) with op in {list(SIGNS)} nor a "
        "relation of SymPy"
    )
