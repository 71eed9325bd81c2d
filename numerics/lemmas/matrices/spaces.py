"""Which bases of a statement may be chosen freely. The rows and the columns of each variable belong
to spaces; a product, a sum, a trace or an order of matrices makes two of them the same. What is left
apart may be turned apart: a matrix between two spaces is diagonal and nonnegative in suitable bases
(singular values), one whose rows and columns belong to the same space has a diagonal symmetric part.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

from numerics.lemmas.matrices.heads import FrobeniusNorm, Matrices, OperatorNorm
from numerics.lemmas.matrices.words import ATOMS, MatrixElement, Sized, matrix_like

__all__ = ["Spaces", "spaces"]

Space = tuple[Any, str]


class Spaces:
    """Classes of spaces that have become the same; the spaces of None are those of fixed bases."""

    def __init__(self) -> None:
        self._to: dict[Space, Space] = {}

    def find(self, s: Space) -> Space:
        while (t := self._to.get(s, s)) != s:
            s = t
        return s

    def join(self, s: Space, t: Space) -> None:
        self._to[self.find(s)] = self.find(t)

    def free(self, s: Space) -> bool:
        """Whether a basis may be chosen."""
        return self.find(s) != self.find((None, "fixed"))

    def apart(self, m: Any) -> bool:
        """Whether rows and columns of a variable may be turned apart."""
        return self.find((m, "rows")) != self.find((m, "columns"))

    def visit(self, e: Any) -> tuple[Space, Space]:
        """The spaces of rows and columns of a matrix expression."""
        if isinstance(e, sp.MatrixSymbol):
            return (e, "rows"), (e, "columns")
        if isinstance(e, sp.MatMul):
            for a in e.args:
                if not a.is_Matrix:
                    self.scalar(a)
            factors = [self.visit(a) for a in e.args if a.is_Matrix]
            for (_, left), (right, _) in zip(factors, factors[1:]):
                self.join(left, right)
            return factors[0][0], factors[-1][1]
        if isinstance(e, sp.MatAdd):
            terms = [self.visit(a) for a in e.args]
            for rows, columns in terms[1:]:
                self.join(rows, terms[0][0])
                self.join(columns, terms[0][1])
            return terms[0]
        if isinstance(e, (sp.Transpose, sp.Adjoint)):
            rows, columns = self.visit(e.arg)
            return columns, rows
        if isinstance(e, sp.MatPow):
            rows, columns = self.visit(e.base)
            if e.exp != -1:
                self.join(rows, columns)
            return columns, rows
        if isinstance(e, sp.ZeroMatrix):
            return (e, "rows"), (e, "columns")
        if isinstance(e, sp.Identity):  # each one for itself
            own = (object(), "both")
            return own, own
        for a in e.args:  # entries, or products of entries, which fix the bases
            if matrix_like(a):
                for s in self.visit(a):
                    self.join(s, (None, "fixed"))
        return (None, "fixed"), (None, "fixed")

    def square(self, e: Any) -> None:
        """The rows and the columns of an expression are compared."""
        self.join(*self.visit(e))

    def scalar(self, e: Any) -> None:
        """What a number reads off matrices."""
        if not isinstance(e, ATOMS):
            for a in e.args:
                self.scalar(a)
        elif isinstance(e, MatrixElement):
            for s, n in zip(self.visit(e.parent), e.parent.shape):
                if n != 1:
                    self.join(s, (None, "fixed"))
        elif isinstance(e, (FrobeniusNorm, OperatorNorm)):
            self.visit(e.args[0])
        else:
            self.square(e.args[0])


def spaces(st: Sized, bases: Iterable[tuple[Any, Any]]) -> Spaces:
    """The spaces of a statement in which some variables are sums of bases and parts."""
    out = Spaces()
    for m, kind in st.matrices.items():
        if kind is not Matrices.ANY:
            out.join((m, "rows"), (m, "columns"))
    for c in st.comparisons:
        if not c.matrices:
            out.scalar(c.lhs)
            out.scalar(c.rhs)
            continue
        (a, b), (x, y) = out.visit(c.lhs), out.visit(c.rhs)
        out.join(a, x)
        out.join(b, y)
        if c.ordered:
            out.join(a, b)
    for m, base in bases:
        for one, other in zip(out.visit(m), out.visit(base)):
            out.join(one, other)
    return out
