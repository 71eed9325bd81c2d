"""Two sides about matrices, and the sign between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.matrices.expressions.matexpr import MatrixElement

from numerics.lemmas.matrices.heads import Head
from numerics.provers.as_written import Condition, latex, scalar
from numerics.provers.statements.relation import OPS, SIGNS

__all__ = ["ATOMS", "LOEWNER", "Comparison", "MatrixElement", "atoms_of", "matrix_like"]

LOEWNER = {"<=": r"\preceq", "<": r"\prec", ">=": r"\succeq", ">": r"\succ", "==": "=", "!=": r"\ne"}
#: What of a matrix stands in a scalar side.
ATOMS = (sp.Trace, sp.Determinant, MatrixElement, Head)


def matrix_like(e: Any) -> bool:
    return isinstance(e, (sp.MatrixExpr, sp.MatrixBase))


def atoms_of(e: Any) -> Iterator[Any]:
    """The outermost traces, determinants, entries, norms and eigenvalues of a scalar side."""
    if isinstance(e, ATOMS):
        yield e
    elif matrix_like(e):
        raise TypeError(f"{e} is a matrix inside a number; take its trace, determinant or a norm")
    else:
        for a in e.args:
            yield from atoms_of(a)


@dataclass(frozen=True)
class Comparison:
    """Two sides of a known size, and the sign between them: matrices are compared in the Loewner
    order, that is by ``x'(big - small)x`` for every x.
    """

    lhs: Any
    op: str
    rhs: Any

    @property
    def matrices(self) -> bool:
        return bool(self.lhs.is_Matrix)

    @property
    def strict(self) -> bool:
        return self.op in ("<", ">")

    @property
    def ordered(self) -> bool:
        return self.op in OPS

    @property
    def small(self) -> Any:
        return self.rhs if self.op[0] == ">" else self.lhs

    @property
    def big(self) -> Any:
        return self.lhs if self.op[0] == ">" else self.rhs

    @property
    def latex(self) -> str:
        signs = LOEWNER if self.matrices else SIGNS
        return f"{latex(self.lhs)} {signs[self.op]} {latex(self.rhs)}"

    @cached_property
    def gap(self) -> Any:
        """Big minus small, for matrices."""
        return self.big - self.small

    @cached_property
    def atoms(self) -> dict[sp.Expr, sp.Symbol]:
        """What of matrices stands in scalar sides, each with a symbol in its place."""
        found = dict.fromkeys(a for side in (self.lhs, self.rhs) for a in atoms_of(side))
        assumed = {k: sp.Dummy(f"m{k}", real=True) for k in range(len(found))}
        return {a: assumed[k] for k, a in enumerate(found)}

    @cached_property
    def _read(self) -> tuple[sp.Expr, sp.Expr, tuple[Condition, ...]]:
        with sp.evaluate(False):  # x/x is defined where x is not 0
            sides = [side.xreplace(self.atoms) for side in (self.small, self.big)]
        small, big = map(scalar, sides)
        return small.value, big.value, tuple(dict.fromkeys((*small.conditions, *big.conditions)))

    @property
    def values(self) -> tuple[sp.Expr, sp.Expr]:
        """The smaller and the larger scalar side, with symbols for what belongs to matrices."""
        return self._read[:2]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What has to hold for scalar sides to be defined."""
        return self._read[2]

    @property
    def inner(self) -> list[Any]:
        """The matrices of which sides are made, down to those that are inverted."""
        return [self.lhs, self.rhs] if self.matrices else [a.args[0] for a in self.atoms]

    def implies(self, other: Comparison) -> bool:
        """Whether the other comparison is this one as written, or less."""
        own, sides = ((latex(c.small), latex(c.big)) for c in (self, other))
        if self.op in ("==", "!=") or not other.ordered:
            return self.op == other.op and sides in (own, own[::-1])
        return own == sides and (self.strict or not other.strict)
