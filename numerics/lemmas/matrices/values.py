"""Values of matrix expressions in three arithmetics by one recursion: exact rational numbers, many
floating-point points at once, and entries that are expressions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat

from numerics.rationals import flint_rational

__all__ = ["EXACT", "FLOATS", "SYMBOLIC", "Arithmetic", "Singular", "negative_vector"]

At = Mapping[Any, Any]


class Singular(ArithmeticError):
    """A matrix that is inverted, or a number that is divided by, is not invertible."""


class Arithmetic:
    """The recursion; matrices have the operators ``+`` and ``*`` unless a method says otherwise."""

    def matrix(self, e: Any, at: At) -> Any:
        """The value of a matrix expression."""
        if isinstance(e, sp.MatrixSymbol):
            return at[e]
        if isinstance(e, sp.MatAdd):
            return reduce(lambda x, y: x + y, (self.matrix(a, at) for a in e.args))
        if isinstance(e, sp.MatMul):
            factors = reduce(self.product, (self.matrix(a, at) for a in e.args if a.is_Matrix))
            scalars = [self.number(a, at) for a in e.args if not a.is_Matrix]
            return reduce(self.scaled, scalars, factors)
        if isinstance(e, sp.MatPow):
            base, n = self.matrix(e.base, at), int(e.exp)
            base = self.inverse(base) if n < 0 else base
            return reduce(self.product, [base] * abs(n))
        if isinstance(e, (sp.Transpose, sp.Adjoint)):
            return self.transpose(self.matrix(e.arg, at))
        if isinstance(e, sp.HadamardProduct):
            return reduce(self.entrywise, (self.matrix(a, at) for a in e.args))
        n, m = map(int, e.shape)  # an identity, zeros, ones, or entries
        return self.explicit([[self.number(sp.sympify(e[i, j]), at) for j in range(m)] for i in range(n)])

    def number(self, e: sp.Expr, at: At) -> Any:
        """The value of a rational function of traces, determinants, entries and scalars."""
        if e in at:
            return at[e]
        if e.is_Rational:
            return self.rational(e)
        if e.is_Add:
            return reduce(lambda x, y: x + y, (self.number(a, at) for a in e.args))
        if e.is_Mul:
            return reduce(lambda x, y: x * y, (self.number(a, at) for a in e.args))
        if e.is_Pow:
            return self.power(self.number(e.base, at), int(e.exp))
        if isinstance(e, sp.Trace):
            return self.trace(self.matrix(e.arg, at))
        if isinstance(e, sp.Determinant):
            return self.det(self.matrix(e.arg, at))
        return self.entry(self.matrix(e.parent, at), int(e.i), int(e.j))

    rational: Any
    explicit: Any
    det: Any

    def product(self, x: Any, y: Any) -> Any:
        return x * y

    def scaled(self, x: Any, c: Any) -> Any:
        return x * c

    def transpose(self, x: Any) -> Any:
        return x.transpose()

    def entry(self, x: Any, i: int, j: int) -> Any:
        return x[i, j]

    def size(self, x: Any) -> tuple[int, int]:
        return x.shape[-2], x.shape[-1]

    def trace(self, x: Any) -> Any:
        return reduce(lambda a, b: a + b, (self.entry(x, i, i) for i in range(self.size(x)[0])))

    def entrywise(self, x: Any, y: Any) -> Any:
        n, m = self.size(x)
        return self.explicit(
            [[self.entry(x, i, j) * self.entry(y, i, j) for j in range(m)] for i in range(n)]
        )

    def inverse(self, x: Any) -> Any:
        return x.inv()

    def power(self, x: Any, n: int) -> Any:
        return x**n


class _Exact(Arithmetic):
    def rational(self, q: sp.Rational) -> fmpq:
        return flint_rational(q)

    def explicit(self, rows: list[list[fmpq]]) -> fmpq_mat:
        return fmpq_mat(len(rows), len(rows[0]), [x for row in rows for x in row])

    def size(self, x: fmpq_mat) -> tuple[int, int]:
        return x.nrows(), x.ncols()

    def det(self, x: fmpq_mat) -> fmpq:
        return x.det()

    def inverse(self, x: fmpq_mat) -> fmpq_mat:
        if x.det() == 0:
            raise Singular
        return x.inv()

    def power(self, x: fmpq, n: int) -> fmpq:
        if x == 0 and n <= 0:
            raise Singular
        return x**n


class _Floats(Arithmetic):
    """Points are rows: matrices have the shape (points, n, m), numbers (points,) or none."""

    def rational(self, q: sp.Rational) -> Any:
        return np.float64(q.p) / np.float64(q.q)

    def product(self, x: Any, y: Any) -> Any:
        return x @ y

    def scaled(self, x: Any, c: Any) -> Any:
        return x * np.asarray(c)[..., None, None]

    def transpose(self, x: Any) -> Any:
        return x.swapaxes(-1, -2)

    def entry(self, x: Any, i: int, j: int) -> Any:
        return x[..., i, j]

    def explicit(self, rows: list[list[Any]]) -> Any:
        return np.stack([np.stack(np.broadcast_arrays(*row), -1) for row in self._same(rows)], -2)

    def _same(self, rows: list[list[Any]]) -> list[Any]:
        flat = np.broadcast_arrays(*(x for row in rows for x in row))
        return [flat[i * len(rows[0]) : (i + 1) * len(rows[0])] for i in range(len(rows))]

    def det(self, x: Any) -> Any:
        return np.linalg.det(x)

    def inverse(self, x: Any) -> Any:
        singular = ~(np.abs(np.linalg.det(x)) > 1e-200)
        fine = np.where(singular[..., None, None], np.eye(x.shape[-1]), x)
        return np.where(singular[..., None, None], np.nan, np.linalg.inv(fine))

    def power(self, x: Any, n: int) -> Any:
        return np.asarray(x, dtype=float) ** n


class _Symbolic(Arithmetic):
    def rational(self, q: sp.Rational) -> sp.Expr:
        return q

    def explicit(self, rows: list[list[sp.Expr]]) -> sp.Matrix:
        return sp.Matrix(rows)

    def product(self, x: sp.Matrix, y: sp.Matrix) -> sp.Matrix:
        return (x * y).applyfunc(sp.expand)

    def det(self, x: sp.Matrix) -> sp.Expr:
        return sp.expand(x.det(method="berkowitz"))

    def inverse(self, x: sp.Matrix) -> sp.Matrix:
        if (det := self.det(x)) == 0:
            raise Singular
        return x.adjugate() / det


EXACT, FLOATS, SYMBOLIC = _Exact(), _Floats(), _Symbolic()


def negative_vector(m: fmpq_mat, strict: bool = False) -> list[fmpq] | None:
    """A vector v with ``v'm v < 0`` (not 0 and ``<= 0``, if strict), for a symmetric matrix; None
    if there is none, by completing squares.
    """
    n = m.nrows()
    unit = lambda i: [fmpq(int(i == k)) for k in range(n)]
    for i in range(n):
        if m[i, i] < 0 or (strict and m[i, i] == 0):
            return unit(i)
    for i in range(n):
        for j in range(n):
            if m[i, i] == 0 and m[i, j] != 0:
                v = unit(j)
                v[i] = -(m[j, j] + 1) / (2 * m[i, j])
                return v
    pivot = next((i for i in range(n) if m[i, i] > 0), None)
    if pivot is None or n == 1:
        return None
    rest = [i for i in range(n) if i != pivot]
    less = [m[i, j] - m[i, pivot] * m[pivot, j] / m[pivot, pivot] for i in rest for j in rest]
    found = negative_vector(fmpq_mat(n - 1, n - 1, less), strict)
    if found is None:
        return None
    v = unit(pivot)
    for i, x in zip(rest, found):
        v[i] = x
    v[pivot] = -sum((m[pivot, i] * v[i] for i in rest), fmpq(0)) / m[pivot, pivot]
    return v
