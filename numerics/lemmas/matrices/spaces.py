"""Which bases of a statement may be chosen freely. The rows and the columns of each variable
belong to spaces; a product, a sum, a trace or an order of matrices makes two of them the same. What
is left apart may be turned apart: a matrix between two spaces is diagonal and nonnegative in
suitable bases (singular values), one whose rows and columns belong to the same space has a diagonal
symmetric part. A product joins a space and its dual. Where these stay apart the bases need not be
orthonormal, and a definite matrix is the identity in one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import sympy as sp

from numerics.lemmas.matrices.comparisons import ATOMS, MatrixElement, matrix_like
from numerics.lemmas.matrices.heads import FrobeniusNorm, Matrices, OperatorNorm
from numerics.lemmas.matrices.words import Sized

__all__ = ["Spaces", "spaces"]

#: What it belongs to, rows or columns, and whether it is the dual space.
Space = tuple[Any, str, bool]
FIXED: Space = (None, "fixed", False)


def dual(s: Space) -> Space:
    return s[0], s[1], not s[2]


class Spaces:
    """Classes of spaces that have become the same."""

    def __init__(self) -> None:
        self._to: dict[Space, Space] = {}

    def find(self, s: Space) -> Space:
        while (t := self._to.get(s, s)) != s:
            s = t
        return s

    def join(self, s: Space, t: Space) -> None:
        self._to[self.find(s)] = self.find(t)
        self._to[self.find(dual(s))] = self.find(dual(t))

    def same(self, s: Space, t: Space) -> bool:
        """Whether two spaces are the same in orthonormal bases."""
        return self.find(s) in (self.find(t), self.find(dual(t)))

    def free(self, s: Space) -> bool:
        """Whether an orthonormal basis may be chosen."""
        return not self.same(s, FIXED)

    def any_basis(self, m: Any) -> bool:
        """Whether any basis may be chosen for the rows of a variable."""
        s = (m, "rows", False)
        return self.free(s) and self.find(s) != self.find(dual(s))

    def apart(self, m: Any) -> bool:
        """Whether rows and columns of a variable may be turned apart."""
        return not self.same((m, "rows", False), (m, "columns", False))

    def visit(self, e: Any) -> tuple[Space, Space]:
        """The spaces of rows and columns of a matrix expression."""
        if isinstance(e, sp.MatrixSymbol):
            return (e, "rows", False), (e, "columns", False)
        if isinstance(e, sp.MatMul):
            for a in e.args:
                if not a.is_Matrix:
                    self.scalar(a)
            factors = [self.visit(a) for a in e.args if a.is_Matrix]
            for (_, left), (right, _) in pairwise(factors):
                self.join(left, dual(right))
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
            if abs(e.exp) > 1:
                self.join(rows, dual(columns))
            return (rows, columns) if e.exp > 0 else (dual(columns), dual(rows))
        if isinstance(e, sp.ZeroMatrix):
            return (e, "rows", False), (e, "columns", False)
        if isinstance(e, sp.Identity):  # each one for itself
            own = (object(), "both", False)
            return own, dual(own)
        for a in e if isinstance(e, sp.MatrixBase) else e.args:  # entries, which fix the bases
            if not matrix_like(a):
                self.scalar(a)
            else:
                for s in self.visit(a):
                    self.join(s, FIXED)
        return FIXED, FIXED

    def scalar(self, e: Any) -> None:
        """What a number reads off matrices."""
        if not isinstance(e, ATOMS):
            for a in e.args:
                self.scalar(a)
        elif isinstance(e, MatrixElement):
            for s, n in zip(self.visit(e.parent), e.parent.shape):
                if n != 1:
                    self.join(s, FIXED)
        else:
            rows, columns = self.visit(e.args[0])
            if not isinstance(e, (FrobeniusNorm, OperatorNorm)):
                self.join(rows, dual(columns))
            if not isinstance(e, sp.Trace):  # a length, or a volume
                self.join(rows, dual(rows))
                self.join(columns, dual(columns))


def spaces(st: Sized, bases: Iterable[tuple[Any, Any]]) -> Spaces:
    """The spaces of a statement in which some variables are sums of bases and parts."""
    out = Spaces()
    out.join(FIXED, dual(FIXED))
    for m, kind in st.matrices.items():
        if kind is not Matrices.ANY:
            out.join((m, "rows", False), (m, "columns", False))
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
