"""Stacks of matrices with bounds of their rounding errors; without bounds also of fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.counterexamples.drawn.equations.running_error import UNIT

__all__ = ["Bounded", "Inexact", "Stack", "inverse", "plus", "times", "trace", "turned"]

Stack: TypeAlias = NDArray[Any]  # (..., rows, columns); scalars are (..., 1, 1)
#: A stack of matrices and a bound of their errors, entry by entry; None where none is asked for.
Bounded: TypeAlias = tuple[Stack, Stack | None]


class Inexact(ArithmeticError):
    """A value is asked for in fractions that only floats can approach: the derivative of what is no
    polynomial of degree 8 or less, or a mean over a covariance that varies.
    """


def plus(a: Bounded, b: Bounded) -> Bounded:
    """The sum."""
    v = a[0] + b[0]
    return v, None if a[1] is None or b[1] is None else a[1] + b[1] + UNIT * np.abs(v)


def times(a: Bounded, b: Bounded, scalar: bool = False) -> Bounded:
    """The product of matrices, or of a scalar and a matrix."""
    by = np.multiply if scalar else np.matmul
    v = by(a[0], b[0])
    if a[1] is None or b[1] is None:
        return v, None
    size, terms = np.abs(a[0]), 1 if scalar else a[0].shape[-1]
    return v, by(size, b[1]) + by(a[1], np.abs(b[0]) + b[1]) + terms * UNIT * by(size, np.abs(b[0]))


def turned(a: Bounded) -> Bounded:
    """The transpose."""
    return np.swapaxes(a[0], -1, -2), None if a[1] is None else np.swapaxes(a[1], -1, -2)


def trace(a: Bounded) -> Bounded:
    """The trace."""
    of = lambda M: np.asarray(np.trace(M, axis1=-2, axis2=-1))[..., None, None]
    return of(a[0]), None if a[1] is None else of(a[1]) + a[0].shape[-1] * UNIT * of(np.abs(a[0]))


def inverse(a: Bounded) -> Bounded:
    """The inverse, nan where there is none; of fractions that of a single matrix."""
    if a[0].dtype == object:
        if a[0].ndim > 2:
            raise Inexact("an inverse varies")
        found = sp.Matrix(
            [[sp.Rational(x.numerator, x.denominator) for x in row] for row in a[0].tolist()]
        ).inv()
        return np.array(
            [[Fraction(int(x.p), int(x.q)) for x in row] for row in found.tolist()], dtype=object
        ), None
    singular = (np.linalg.det(a[0]) == 0)[..., None, None]
    v = np.where(singular, np.nan, np.linalg.inv(np.where(singular, np.eye(a[0].shape[-1]), a[0])))
    if a[1] is None:
        return v, None
    size, off = np.abs(v), a[1] + 4 * a[0].shape[-1] * UNIT * np.abs(a[0])
    lost = (size @ off).max((-1, -2), keepdims=True)  # a share of more than 1/100 leaves nothing to be said
    return v, np.where(lost < 0.01, size @ off @ size, np.inf)
