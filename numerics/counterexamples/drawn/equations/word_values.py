"""Values of matrix words as they were put together, in floating point with a bound of the rounding
errors, or exactly with fractions: matrices are multiplied entry by entry, and no word is brought to
a normal form. A gradient is a central difference, and a Gaussian expectation a cubature that is
exact for polynomials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from numerics.counterexamples.drawn.equations.cubature import nodes, nodes_exactly
from numerics.counterexamples.drawn.equations.differences import difference_weights, steadiest
from numerics.counterexamples.drawn.equations.matrix_arithmetic import (
    Bounded,
    Inexact,
    inverse,
    plus,
    times,
    trace,
    turned,
)
from numerics.counterexamples.drawn.equations.running_error import UNIT
from theory.symbolic.algebra import Words

__all__ = ["Reading", "degree", "nodes_each"]

Letters: TypeAlias = Mapping[str, Bounded]


@dataclass(frozen=True)
class Reading:
    """How words are computed: in which dimension, with fractions or floats, and whether with a
    bound of the rounding errors.
    """

    d: int
    exact: bool
    bound: bool

    def of(self, w: Words, at: Letters) -> Bounded:
        """The value of an element at matrices for its letters. A derivative without an exact
        difference is `Inexact` if fractions are asked for.
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
            return trace(a)
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
                part = times(part, word(s) if w.algebra.is_inner(s) else trace(word(s)), True)
            coefficient: Bounded | None = None
            for powers, q in c.terms():
                monomial = self.number(Fraction(int(q.numerator), int(q.denominator)) * self.d ** powers[0])
                for name, e in zip(w.algebra.params, powers[1:]):
                    for _ in range(e):
                        monomial = times(monomial, at[name], True)
                coefficient = monomial if coefficient is None else plus(coefficient, monomial)
            part = times(part, coefficient or self.number(Fraction(0)), True)
            total = part if total is None else plus(total, part)
        rows, columns = {"matrix": (self.d, self.d), "column": (self.d, 1), "row": (1, self.d)}.get(
            w.shape, (1, 1)
        )
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
            sizes = np.array([Fraction(1), Fraction(2)], dtype=object).reshape(
                2, 1, 1, *(1,) * len(shape), 1, 1
            )
        else:
            scale = np.abs(X).max((-1, -2), keepdims=True)
            steps = 2.0 ** -(2 + 3 * np.arange(10 if self.bound else 1)).reshape(
                -1, 1, 1, *(1,) * len(shape), 1, 1
            )
            sizes = steps * np.where(scale > 0, scale, 1.0)
        number = (lambda q: Fraction(int(q.p), int(q.q))) if self.exact else float
        places = np.array([number(sp.Integer(k)) for k, _ in weights], dtype=sizes.dtype)
        by = np.array([number(q) for _, q in weights], dtype=sizes.dtype).reshape(
            1, -1, 1, *(1,) * len(shape), 1, 1
        )
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

    def _expectation(
        self, w: Words, name: str, covariance: Words, mean: Words | None, at: Letters
    ) -> Bounded:
        """The mean over a Gaussian vector, by a cubature that is exact for its polynomials."""
        C, off = self.of(covariance, at)
        x, weights = (nodes_exactly if self.exact else nodes)(C, degree(w, name))
        shape = np.broadcast_shapes(*(v.shape[:-2] for v, _ in at.values()))
        # the nodes are the first axis of all
        x = x.reshape(len(x), *(1,) * (len(shape) + 2 - C.ndim), *x.shape[1:])
        error = None
        if self.bound and off is not None:
            size, far = (np.abs(a).max(axes, keepdims=True) for a, axes in ((C, (-1, -2)), (x, (0, -1, -2))))
            lost = 64 * self.d * UNIT + np.where(
                size > 0, off.max((-1, -2), keepdims=True) / np.where(size > 0, size, 1), 0
            )
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
        return total, ((np.broadcast_to(e, wide) + 8 * UNIT * np.abs(v)) * by).sum(0) + len(
            by
        ) * UNIT * np.abs(total)


def degree(w: Words, name: str) -> int:
    """The highest degree in a letter that an element can have, as it was put together."""
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
