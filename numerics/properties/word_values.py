"""Values of matrix words as they were put together, in floating point with a bound of the rounding
errors, or exactly with fractions: matrices are multiplied entry by entry, and no word is brought to
a normal form. A gradient is a central difference, and a Gaussian expectation a cubature that is
exact for polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.properties.running_error import UNIT, difference_weights, steadiest
from theory.symbolic.algebra import Words

__all__ = ["Bounded", "Inexact", "Reading", "Stack", "degree", "inverse", "nodes_each", "plus", "times", "turned"]

Stack: TypeAlias = NDArray[Any]  # (..., rows, columns); scalars are (..., 1, 1)
#: A stack of matrices and a bound of their errors, entry by entry; None where none is asked for.
Bounded: TypeAlias = tuple[Stack, Stack | None]
Letters: TypeAlias = Mapping[str, Bounded]


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


def _trace(a: Bounded) -> Bounded:
    of = lambda M: np.asarray(np.trace(M, axis1=-2, axis2=-1))[..., None, None]
    return of(a[0]), None if a[1] is None else of(a[1]) + a[0].shape[-1] * UNIT * of(np.abs(a[0]))


def inverse(a: Bounded) -> Bounded:
    """The inverse, nan where there is none; of fractions that of a single matrix."""
    if a[0].dtype == object:
        if a[0].ndim > 2:
            raise Inexact("an inverse varies")
        found = sp.Matrix([[sp.Rational(x.numerator, x.denominator) for x in row] for row in a[0].tolist()]).inv()
        return np.array([[Fraction(int(x.p), int(x.q)) for x in row] for row in found.tolist()], dtype=object), None
    singular = (np.linalg.det(a[0]) == 0)[..., None, None]
    v = np.where(singular, np.nan, np.linalg.inv(np.where(singular, np.eye(a[0].shape[-1]), a[0])))
    if a[1] is None:
        return v, None
    size, off = np.abs(v), a[1] + 4 * a[0].shape[-1] * UNIT * np.abs(a[0])
    lost = (size @ off).max((-1, -2), keepdims=True)  # a share of more than 1/100 leaves nothing to be said
    return v, np.where(lost < 0.01, size @ off @ size, np.inf)


# Words as they were put together


@dataclass(frozen=True)
class Reading:
    """How words are computed: in which dimension, with fractions or floats, and whether with a
    bound of the rounding errors.
    """

    d: int
    exact: bool
    bound: bool

    def of(self, w: Words, at: Letters) -> Bounded:
        """The value of an element at matrices for its letters.

        Raises
        ------
        Inexact
            If a derivative has no exact difference, and fractions are asked for.
        """
        if w.origin is None:
            return self._normal_form(w, at)
        operation, first, *rest = w.origin
        if operation in ("grad", "diff"):
            return self._derivative(first, rest[0], at)
        if operation == "gauss":
            return self._expectation(first, rest[0], rest[1], rest[2], at)
        if operation == "substitute":
            return self.of(first, {**at, rest[0]: self.of(rest[1], at)})
        a = self.of(first, at)
        if operation == "T":
            return turned(a)
        if operation == "tr":
            return _trace(a)
        if operation == "-":
            return -a[0], a[1]
        if operation == "/":
            return times(a, self.number(1 / Fraction(str(rest[0]))), True)
        if operation == "**":
            out = self.one(w.shape)
            for _ in range(rest[0]):
                out = times(out, a, w.shape == "scalar")
            return out
        b = self.of(rest[0], at)
        return plus(a, b) if operation == "+" else times(a, b, "scalar" in (first.shape, rest[0].shape))

    def number(self, q: Any) -> Bounded:
        """A number, as a matrix with one entry."""
        v = np.array([[q if self.exact else float(q)]], dtype=object if self.exact else float)
        return v, UNIT * np.abs(v) if self.bound else None

    def one(self, shape: str) -> Bounded:
        """The number 1, or the identity."""
        v = np.eye(self.d if shape == "matrix" else 1, dtype=object if self.exact else float)
        return v, np.zeros_like(v) if self.bound else None

    def _normal_form(self, w: Words, at: Letters) -> Bounded:
        """A letter, a number, or an element that has forgotten how it was made."""

        if len(w.terms) == 1:  # nearly always a letter
            (((closed, open_), c),) = w.terms.items()
            if not closed and len(open_) == 1 and c == 1:
                return turned(at[open_[0][0]]) if open_[0][1] else at[open_[0][0]]

        def word(letters: Any) -> Bounded:
            factors = [turned(at[n]) if t else at[n] for n, t in letters]
            out = factors[0]
            for f in factors[1:]:
                out = times(out, f)
            return out

        total: Bounded | None = None
        for (closed, open_), c in w.terms.items():
            part: Bounded = word(open_) if open_ else self.one(w.shape)
            for s in closed:
                part = times(part, word(s) if w.algebra.is_inner(s) else _trace(word(s)), True)
            coefficient: Bounded | None = None
            for powers, q in c.terms():
                monomial = self.number(Fraction(int(q.numerator), int(q.denominator)) * self.d ** powers[0])
                for name, e in zip(w.algebra.params, powers[1:]):
                    for _ in range(e):
                        monomial = times(monomial, at[name], True)
                coefficient = monomial if coefficient is None else plus(coefficient, monomial)
            part = times(part, coefficient or self.number(Fraction(0)), True)
            total = part if total is None else plus(total, part)
        rows, columns = {"matrix": (self.d, self.d), "column": (self.d, 1), "row": (1, self.d)}.get(w.shape, (1, 1))
        zero = np.zeros((rows, columns))
        return total or (zero, zero if self.bound else None)

    def _derivative(self, w: Words, name: str, at: Letters) -> Bounded:
        """The gradient by a matrix or a vector, or the derivative by a parameter, by differences
        along every entry.
        """
        A, weights = w.algebra, difference_weights(1)
        shape = np.broadcast_shapes(*(v.shape[:-2] for v, _ in at.values()))
        X, off = at[name]
        rows, columns = X.shape[-2:]
        along = np.eye(rows * columns, dtype=object if self.exact else float).reshape(-1, rows, columns)
        if name in A.symmetric:
            along = (along + np.swapaxes(along, 1, 2)) * (Fraction(1, 2) if self.exact else 0.5)
        along = along.reshape(-1, *(1,) * len(shape), rows, columns)
        X = np.broadcast_to(X, (*shape, rows, columns))
        if self.exact:
            sizes = np.array([Fraction(1), Fraction(2)], dtype=object).reshape(2, 1, 1, *(1,) * len(shape), 1, 1)
        else:
            scale = np.abs(X).max((-1, -2), keepdims=True)
            steps = 2.0 ** -(2 + 3 * np.arange(10 if self.bound else 1)).reshape(-1, 1, 1, *(1,) * len(shape), 1, 1)
            sizes = steps * np.where(scale > 0, scale, 1.0)
        number = (lambda q: Fraction(int(q.p), int(q.q))) if self.exact else float
        places = np.array([number(sp.Integer(k)) for k, _ in weights], dtype=sizes.dtype)
        by = np.array([number(q) for _, q in weights], dtype=sizes.dtype).reshape(1, -1, 1, *(1,) * len(shape), 1, 1)
        moved: Bounded = (X + sizes * places.reshape(by.shape) * along, off)
        partner = next((b if a == name else a for a, b in A.inverse if name in (a, b)), None)
        v, e = self.of(w, {**at, name: moved, **({partner: inverse(moved)} if partner else {})})
        wide = (len(sizes), len(places), rows * columns, *shape, *v.shape[-2:])
        v = np.broadcast_to(v, wide)
        slopes = (v * by).sum(1) / sizes[:, 0]
        if self.exact:
            if (slopes[0] != slopes[1]).any():
                raise Inexact(f"the derivative by {name} is not that of a polynomial")
            slope, error = slopes[0], None
        elif e is None:
            slope, error = slopes[0], None
        else:
            rounding = ((np.broadcast_to(e, wide) + UNIT * np.abs(v)) * np.abs(by)).sum(1) / sizes[:, 0]
            slope, error = steadiest(slopes, rounding)
        if name in A.params:
            return slope[0], None if error is None else error[0]
        entries = lambda s: np.moveaxis(s[..., 0, 0], 0, -1).reshape(*shape, rows, columns)
        return entries(slope), None if error is None else entries(error)

    def _expectation(self, w: Words, name: str, covariance: Words, mean: Words | None, at: Letters) -> Bounded:
        """The mean over a Gaussian vector, by a cubature that is exact for its polynomials."""
        C, off = self.of(covariance, at)
        x, weights = (_nodes_exactly if self.exact else _nodes)(C, degree(w, name))
        shape = np.broadcast_shapes(*(v.shape[:-2] for v, _ in at.values()))
        x = x.reshape(len(x), *(1,) * (len(shape) + 2 - C.ndim), *x.shape[1:])  # the nodes are the first axis of all
        error = None
        if self.bound and off is not None:
            size, far = (np.abs(a).max(axes, keepdims=True) for a, axes in ((C, (-1, -2)), (x, (0, -1, -2))))
            lost = 64 * self.d * UNIT + np.where(size > 0, off.max((-1, -2), keepdims=True) / np.where(size > 0, size, 1), 0)
            error = np.broadcast_to(far * lost, x.shape)
        moved: Bounded = (x, error)
        if mean is not None:
            moved = plus(moved, self.of(mean, at))
        v, e = self.of(w, {**at, name: moved})
        wide = (*np.broadcast_shapes(v.shape[:-2], moved[0].shape[:-2]), *v.shape[-2:])
        by = weights.reshape(*weights.shape, *(1,) * (len(wide) - weights.ndim))
        v = np.broadcast_to(v, wide)
        total = (v * by).sum(0)
        if e is None:
            return total, None
        return total, ((np.broadcast_to(e, wide) + 8 * UNIT * np.abs(v)) * by).sum(0) + len(by) * UNIT * np.abs(total)


def degree(w: Words, name: str) -> int:
    """The highest degree in a letter that an element can have, as it was put together.

    Examples
    --------
    >>> from theory.symbolic.algebra import Algebra
    >>> x = Algebra(vectors=["x"])["x"]
    >>> degree((x.T * x) ** 3 - x.T * x, "x")
    6
    """
    if w.origin is None:
        return max((sum(n == name for part in (*s, o) for n, _ in part) for s, o in w.terms), default=0)
    operation, first, *rest = w.origin
    inner = degree(first, name)
    if operation in ("+", "*"):
        other = degree(rest[0], name)
        return inner + other if operation == "*" else max(inner, other)
    if operation == "**":
        return inner * int(rest[0])
    if operation == "substitute":
        return (0 if rest[0] == name else inner) + degree(first, rest[0]) * degree(rest[1], name)
    if operation == "gauss":
        moments = max(degree(m, name) for m in rest[1:] if m is not None)
        return (0 if rest[0] == name else inner) + degree(first, rest[0]) * moments
    return inner


def nodes_each(w: Words) -> int:
    """How many nodes each coordinate has in all nested expectations of an element together."""
    if w.origin is None:
        return 1
    operation, *parts = w.origin
    most = max(nodes_each(p) for p in parts if isinstance(p, Words))
    return most * (degree(parts[0], parts[1]) // 2 + 1) if operation == "gauss" else most


def _nodes(C: Stack, degree: int) -> tuple[Stack, Stack]:
    """Nodes, shape (nodes, ..., d, 1), and weights of Gauss and Hermite in every coordinate; nan
    where the covariance has negative eigenvalues.
    """
    at, weights = np.polynomial.hermite_e.hermegauss(degree // 2 + 1)
    d = C.shape[-1]
    grid = np.array(list(product(at, repeat=d))).reshape(-1, *(1,) * (C.ndim - 2), d, 1)
    values, vectors = np.linalg.eigh((C + np.swapaxes(C, -1, -2)) / 2)
    small = values < -1e-9 * np.abs(values).max(-1, keepdims=True)
    root = vectors * np.sqrt(np.where(small, np.nan, np.maximum(values, 0)))[..., None, :]
    total = weights / weights.sum()
    return root @ grid, np.array([np.prod(w) for w in product(total, repeat=d)])


def _nodes_exactly(C: Stack, degree: int) -> tuple[Stack, Stack]:
    """Whole numbers as nodes, with weights that give the Gaussian moments, in coordinates in which
    the covariance is diagonal.
    """
    if C.ndim > 2:
        raise Inexact("the covariance varies")
    d, most = len(C), degree // 2 + degree % 2
    L, D, rest = np.eye(d, dtype=object), [], C
    for i in range(d):
        D.append(Fraction(rest[i, i]))
        if D[i] != 0:
            L[:, i] = rest[:, i] / D[i]
            rest = rest - D[i] * np.outer(L[:, i], L[:, i])
    if any(x < 0 for x in D) or (rest != 0).any():
        raise Inexact("the covariance is not positive semidefinite")
    at = list(range(-most, most + 1))
    fitted = _fitted(most)
    each = [fitted @ np.array([_moment(k, D_i) for k in range(len(at))], dtype=object) for D_i in D]
    grid = np.array(list(product(at, repeat=d)), dtype=object).reshape(-1, d, 1)
    weights: Stack = np.empty(len(grid), dtype=object)
    weights[:] = [math.prod(w) for w in product(*each)]
    return np.matmul(L, grid), weights


def _moment(k: int, variance: Fraction) -> Fraction:
    """The k-th moment of a centred Gaussian."""
    return Fraction(0) if k % 2 else int(sp.factorial2(k - 1)) * variance ** (k // 2)


@cache
def _fitted(most: int) -> Stack:
    """From moments to weights at the whole numbers up to `most`."""
    at = range(-most, most + 1)
    inverse = sp.Matrix(len(at), len(at), lambda k, i: sp.Integer(at[i]) ** k).inv()
    return np.array([[Fraction(int(x.p), int(x.q)) for x in row] for row in inverse.tolist()], dtype=object)
