"""Means of polynomials over Gaussian vectors, by nodes and weights: in floating point those of
Gauss and Hermite, and exactly with whole numbers as nodes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import sympy as sp

from numerics.counterexamples.drawn.equations.matrix_arithmetic import Inexact, Stack

__all__ = ["nodes", "nodes_exactly"]


def nodes(C: Stack, degree: int) -> tuple[Stack, Stack]:
    """Nodes, shape (nodes, ..., d, 1), and weights of Gauss and Hermite in every coordinate; nan
    where the covariance has negative eigenvalues.

    >>> x, weights = nodes(np.diag([1.0, 4.0]), degree=4)
    >>> bool(np.isclose((weights * x[:, 1, 0] ** 4).sum(), 3 * 4**2))
    True
    """
    at, weights = np.polynomial.hermite_e.hermegauss(degree // 2 + 1)
    d = C.shape[-1]
    grid = np.array(list(product(at, repeat=d))).reshape(-1, *(1,) * (C.ndim - 2), d, 1)
    values, vectors = np.linalg.eigh((C + np.swapaxes(C, -1, -2)) / 2)
    small = values < -1e-9 * np.abs(values).max(-1, keepdims=True)
    root = vectors * np.sqrt(np.where(small, np.nan, np.maximum(values, 0)))[..., None, :]
    total = weights / weights.sum()
    return root @ grid, np.array([np.prod(w) for w in product(total, repeat=d)])


def nodes_exactly(C: Stack, degree: int) -> tuple[Stack, Stack]:
    """Whole numbers as nodes, with weights that give the Gaussian moments, in coordinates in which
    the covariance is diagonal. A covariance that varies, or is not positive semidefinite, is
    `Inexact`.

    >>> x, weights = nodes_exactly(np.array([[Fraction(2)]]), degree=4)
    >>> sum(w * q**4 for q, w in zip(x[:, 0, 0], weights))
    Fraction(12, 1)
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
