"""The classes of matrices over which a statement may range, and what SymPy has no name for: norms
and extreme eigenvalues.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import sympy as sp

__all__ = [
    "FrobeniusNorm",
    "Head",
    "LargestEigenvalue",
    "Matrices",
    "OperatorNorm",
    "SmallestEigenvalue",
    "Spectral",
]


class Matrices(Enum):
    """Real matrices over which a variable of `forall` may range.

    Examples
    --------
    >>> Matrices.PSD.value
    'symmetric positive semidefinite'
    """

    PSD = "symmetric positive semidefinite"
    DEFINITE = "symmetric positive definite"
    SYMMETRIC = "symmetric"
    ANY = "any"


class Head(sp.Expr):
    """A real number that belongs to a matrix."""

    is_commutative = True
    is_extended_real = True
    is_finite = True
    tex = ""

    def __new__(cls, matrix: Any) -> Head:
        if not isinstance(matrix, (sp.MatrixExpr, sp.MatrixBase)):
            raise TypeError(f"{cls.__name__} takes a matrix, not {matrix!r:.100}; build it from MatrixSymbol")
        kept = matrix.as_immutable() if isinstance(matrix, sp.MatrixBase) else matrix
        head: Head = sp.Expr.__new__(cls, kept)
        return head

    def _latex(self, printer: Any) -> str:
        return self.tex % printer.doprint(self.args[0])


class FrobeniusNorm(Head):
    """The square root of the sum of all squared entries.

    Examples
    --------
    >>> A = sp.MatrixSymbol("A", 2, 2)
    >>> sp.latex(FrobeniusNorm(A) ** 2)
    '\\\\left\\\\|A\\\\right\\\\|_F^{2}'
    """

    is_nonnegative = True
    tex = r"\left\|%s\right\|_F"


class Spectral(Head):
    """A head that is computed from eigenvalues."""


class OperatorNorm(Spectral):
    """The largest singular value.

    Examples
    --------
    >>> OperatorNorm(sp.MatrixSymbol("A", 2, 3)).is_nonnegative
    True
    """

    is_nonnegative = True
    tex = r"\left\|%s\right\|_{\mathrm{op}}"


class LargestEigenvalue(Spectral):
    """The largest eigenvalue of a matrix that is symmetric by its form.

    Examples
    --------
    >>> A = sp.MatrixSymbol("A", 2, 2)
    >>> sp.latex(LargestEigenvalue(A * A.T))
    '\\\\lambda_{\\\\max}\\\\left(A A^{T}\\\\right)'
    """

    tex = r"\lambda_{\max}\left(%s\right)"


class SmallestEigenvalue(Spectral):
    """The smallest eigenvalue of a matrix that is symmetric by its form.

    Examples
    --------
    >>> A = sp.MatrixSymbol("A", 2, 2)
    >>> SmallestEigenvalue(A + A.T).is_real
    True
    """

    tex = r"\lambda_{\min}\left(%s\right)"
