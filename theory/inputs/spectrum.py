"""Eigenvalues of a covariance, each to its own digits, and which of them count as zero:
`numpy.linalg.eigh` is right up to rounding errors of the largest one only, and loses directions of
small variance.

Blocks are taken apart and scaled by powers of two, which is exact, until the diagonal is about one.
With the scales D and ``C = W diag(c) W'`` what is left, Jacobi's method finds the singular values
of ``D W diag(sqrt c)`` with relative errors of eps times the condition number of C (Demmel and
Veselic 1992). Only the rank of C is a question, and a diagonal matrix poses none.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AGREED",
    "EPS",
    "ROUNDING",
    "RankWarning",
    "Spectrum",
    "covariance_factor",
    "exact_rank",
    "onto_range",
    "refuse_lost_rank",
    "say_if_lost",
    "spectrum",
    "symmetric_root",
]

Floats = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
#: Condition number up to which `numpy.linalg.eigh` is accurate enough for every eigenvalue.
EASY = 1e4
#: Rounding errors of a product of matrices, in units of its dimension, eps and its largest
#: eigenvalue: an eigenvalue of C up to this counts as zero.
ROUNDING = 8
#: The largest root of an eigenvalue.
ROOT_OF_LARGEST = float(np.sqrt(np.finfo(np.float64).max))
#: A change of the entries by which the condition of a singular block is measured.
NUDGE = 2.0**-30
#: Modulus in which ranks are counted, and the work up to which they are.
PRIME, MOST_WORK = 2**61 - 1, 10**7
#: Relative difference between a variance by the entries of a covariance and by its factor above
#: which neither is relied on.
AGREED = 1e-6


class RankWarning(RuntimeWarning):
    """An answer rests on a variance that cannot be told from rounding errors."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The positive eigenvalues of a covariance."""

    #: Shape (r,), ascending.
    values: Floats
    #: Orthonormal columns (d, r).
    vectors: Floats
    #: By how much the relative errors of the values may exceed eps.
    condition: float = 1.0
    #: Number of directions that count as zero though they are not zero exactly.
    lost: int = 0


def spectrum(covariance: Floats, eps: float = EPS) -> Spectrum:
    """The eigenvalues of a covariance (d, d) that can be told from rounding errors ``eps`` of the
    floats in which it was given, with their eigenvectors; eigenvalues may be negative by rounding.
    """
    values, vectors = np.linalg.eigh(covariance)
    if values[0] > values[-1] / EASY:  # the product may overflow
        return Spectrum(values, vectors, float(values[-1] / values[0]))
    parts = [(rows, _of_block(covariance[np.ix_(rows, rows)], eps)) for rows in _blocks(covariance)]
    rank, lost = sum(part.values.size for _, part in parts), sum(part.lost for _, part in parts)
    least = len(values) - rank
    if rank and values[least] > values[-1] / EASY:
        return Spectrum(values[least:], vectors[:, least:], float(values[-1] / values[least]), lost)
    values = np.concatenate([part.values for _, part in parts])
    vectors, last = np.zeros((len(covariance), rank)), 0
    for rows, part in parts:
        vectors[rows, last : (last := last + len(part.values))] = part.vectors
    order = np.argsort(values, kind="stable")
    return Spectrum(values[order], vectors[:, order], max(part.condition for _, part in parts), lost)


def _blocks(M: Floats) -> list[NDArray[np.intp]]:
    """The rows of each block into which a symmetric matrix splits, once they are sorted."""
    linked, left, found = M != 0, np.ones(len(M), dtype=bool), []
    while left.any():
        block = np.zeros(len(M), dtype=bool)
        new = block.copy()
        new[left.argmax()] = True
        while new.any():
            block |= new
            new = linked[new].any(axis=0) & ~block
        left &= ~block
        found.append(np.flatnonzero(block))
    return found


def _of_block(B: Floats, eps: float) -> Spectrum:
    """The spectrum of a matrix that does not split."""
    diagonal, d = np.diag(B), len(B)
    if d == 1:
        kept = int(diagonal[0] > 0)
        return Spectrum(diagonal[:kept], np.ones((1, kept)), lost=int(diagonal[0] < 0))
    noise = ROUNDING * d * eps
    scale = np.ones(d)
    if diagonal.min() > 0:
        scale = np.exp2(np.round(np.log2(diagonal) / 2))
    C = B / scale[:, None] / scale
    c, W = np.linalg.eigh(C)
    if c[0] < -noise * c[-1]:  # no covariance but up to rounding errors of its largest entries
        scale = np.ones(d)
        c, W = np.linalg.eigh(B)
        noise = max(noise, 2 * float(-c[0] / c[-1]))
    kept = c > noise * c[-1]
    if not kept.any():
        return Spectrum(np.empty(0), np.empty((d, 0)), lost=d)
    lost = d - int(kept.sum())
    if lost and exact_rank(C, d - lost) == d - lost:
        lost = 0
    Y, condition = W[:, kept] * np.sqrt(c[kept]), float(c[-1] / c[kept][0])
    vectors, roots = _singular(scale[:, None] * Y)
    # Rows of one size may agree in all but rounding errors, which others of a smaller size show.
    if d > Y.shape[1]:
        nudged = Y + NUDGE * np.random.default_rng(0).standard_normal(Y.shape)
        changes = np.abs(_singular(scale[:, None] * nudged)[1] / roots - 1)
        condition = max(condition, float(changes.max()) / NUDGE)
    if roots.max() > ROOT_OF_LARGEST:
        raise ValueError(
            "a covariance has an eigenvalue beyond the range of floats, which end at 1.8e308; choose other "
            "units"
        )
    return Spectrum(roots**2, vectors, condition, lost)


def _singular(G: Floats) -> tuple[Floats, Floats]:
    """Left singular vectors and singular values of ``G = D W diag(c)``, by Jacobi's method, which
    is as accurate as W is well-conditioned.
    """
    from scipy.linalg.lapack import dgejsv

    size = 2.0 ** np.round(np.log2(np.abs(G).max()))
    values, vectors, _, work, _, info = dgejsv(G / size, joba=2, jobu=0, jobv=3)
    if info != 0:
        raise ArithmeticError(
            f"Jacobi's method did not find the singular values of a factor ({info}); rescale the covariance"
        )
    r = G.shape[1]
    return np.asarray(vectors[:, :r]), np.asarray(values * (work[0] / work[1] * size))


def exact_rank(M: NDArray[Any], guess: int) -> int:
    """The rank of the numbers as they stand, floats, whole numbers or fractions, modulo a large
    prime; -1 where that would take long. It stops as soon as the rank exceeds the guess.

    >>> exact_rank(np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]]), 2)
    2
    """
    if guess * M.size > MOST_WORK:
        return -1
    entries = [[Fraction(x) for x in row] for row in M.tolist()]
    rows = np.array(
        [[x.numerator * pow(x.denominator, -1, PRIME) % PRIME for x in row] for row in entries], dtype=object
    )
    rank = 0
    while rows.size and rank <= guess and (nonzero := np.argwhere(rows != 0)).size:
        i, j = nonzero[0]
        pivot = rows[i] * pow(int(rows[i, j]), -1, PRIME) % PRIME
        rows = np.delete((rows - np.outer(rows[:, j], pivot)) % PRIME, i, axis=0)
        rank += 1
    return rank


def say_if_lost(
    name: str, covariance: Floats, factor: Floats, seen: Mapping[str, tuple[Floats, float]]
) -> None:
    """A RankWarning if what is seen of a covariance depends on directions that are lost in rounding
    errors, from its `covariance_factor`. By what a warning calls it, ``seen`` has a matrix (n, d)
    that is applied to vectors of this covariance, and a variance of the result that is of no
    account.
    """
    for what, (M, least) in seen.items():
        with np.errstate(over="ignore", invalid="ignore"):
            size, kept = float(np.sum(M @ covariance * M)), float(np.sum((M @ factor) ** 2))
        if not abs(size - kept) > max(AGREED * max(abs(size), kept), least):
            continue
        found = spectrum(covariance)
        if found.lost or found.condition * AGREED > 1:
            warnings.warn(
                f"the variance of {what} cannot be told from rounding errors of {name}: by its entries it "
                f"is {size:.3g}, and {kept:.3g} without the directions that count as zero; give {name} in "
                "the coordinates of its eigenvectors, where it is diagonal",
                RankWarning,
                stacklevel=3,
            )


def refuse_lost_rank(name: str, value: Any, covariance: Floats) -> None:
    """Refuse a covariance of whole numbers or fractions if floats cannot tell its rank, which it
    has exactly.

    >>> refuse_lost_rank("Gamma", [[1, 1], [1, 1]], np.ones((2, 2)))
    """
    given = np.asarray(value)
    exact = given.dtype.kind in "iu" or (
        given.dtype.kind == "O" and all(isinstance(x, Rational) for x in given.flat)
    )
    if not exact or (kept := (found := spectrum(covariance)).values.size) == len(covariance):
        return  # entries to sixteen digits make an invertible matrix no singular one
    rank = exact_rank(given, kept)  # the floats may have another
    if (rank != kept and (rank >= 0 or found.lost)) or found.condition * AGREED > 1:
        raise ValueError(
            f"{name} is given exactly, but floats cannot tell its rank: they keep {kept} of "
            f"{len(covariance)} directions, and others are lost in rounding; give {name} in the coordinates "
            "of its eigenvectors, where it is diagonal, or to theory.limit_parameters as a SymPy Matrix"
        )


def covariance_factor(covariance: Floats) -> Floats:
    """A factor F (d, r) of a covariance F F' as `theory.inputs.arrays.read_covariance` returns it:
    orthogonal columns, shortest first, none for a direction of variance zero; r is the rank, but at
    least 1.
    """
    found = spectrum(covariance)
    return found.vectors * np.sqrt(found.values) if found.values.size else np.zeros((len(covariance), 1))


def onto_range(covariance: Floats) -> Floats:
    """The orthogonal projector onto the range of a covariance as
    `theory.inputs.arrays.read_covariance` returns it; what cannot be told from rounding errors
    counts as zero. It is the identity itself for an invertible covariance.
    """
    vectors = spectrum(covariance).vectors
    return np.asarray(vectors @ vectors.T) if vectors.shape[1] < len(vectors) else np.eye(len(vectors))


def symmetric_root(covariance: Floats) -> Floats:
    """The positive semidefinite R with R R the covariance, as
    `theory.inputs.arrays.read_covariance` returns it; what cannot be told from rounding errors
    counts as zero, and is at most of their size in R R.
    """
    found = spectrum(covariance)
    return np.asarray((found.vectors * np.sqrt(found.values)) @ found.vectors.T)
