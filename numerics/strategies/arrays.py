"""Queries, matrices and covariances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.strategies.numbers import SearchStrategy, checked, coded, signed, sizes, st
from theory.inputs.kinds import check_kind

__all__ = ["covariances", "matrices", "queries"]

Floats = NDArray[np.float64]
LARGEST_DIMENSION = 8
#: Entries of matrices, the simplest first. Small whole numbers take half of the places, as most
#: false statements about matrices fail at some of them; each entry is one choice, which shrinks
#: fast.
ENTRIES = (*(0.0, 1.0, -1.0, 2.0, -2.0) * 8, *(s * 2.0**k for k in range(-3, 4) for s in (1, -1)))
ENTRIES += tuple(s * float(coded(c)) for c in range(-23, 24, 2) for s in (1, -1))


def floats(values: Sequence[Fraction], *shape: int) -> Floats:
    """An array of these numbers."""
    return np.array([float(v) for v in values]).reshape(shape)


def queries(d: int, *, octaves: int = 10) -> SearchStrategy[Floats]:
    """Vectors of d numbers: zero, and entries of both signs over several decades.

    Parameters
    ----------
    d : int
        From 1 to 8.
    octaves : int
        Entries other than 0 have sizes from ``2^-octaves`` to ``2^octaves``.

    Returns
    -------
    strategy of ndarray of shape (d,)

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(queries(2))
    array([0., 0.])
    """
    checked("d", d, 1, LARGEST_DIMENSION)
    checked("octaves", octaves, 0, 100)
    return st.lists(signed(octaves), min_size=d, max_size=d).map(lambda values: floats(values, d))


def matrices(d: int, *, octaves: int = 10) -> SearchStrategy[Floats]:
    """Square matrices: zero, any, singular and nilpotent ones, from tiny to large.

    Parameters
    ----------
    d : int
        From 1 to 8.
    octaves : int
        Matrices are multiplied by a number from ``2^-octaves`` to ``2^octaves``.

    Returns
    -------
    strategy of ndarray of shape (d, d)

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(matrices(2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    >>> simplest(matrices(2), lambda U: (U @ U == 0).all() and U.any()).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    checked("d", d, 1, LARGEST_DIMENSION)
    checked("octaves", octaves, 0, 100)

    def made(drawn: tuple[str, Fraction, list[float]]) -> Floats:
        kind, size, entries = drawn
        A = np.array(entries).reshape(d, d)
        if kind == "nilpotent":
            A = np.triu(A, 1)
        elif kind == "nilpotent, lower":
            A = np.tril(A, -1)
        elif kind == "singular":
            A[-1] = A[0] if d > 1 else 0.0
        elif kind == "singular, columns":  # its squares U U' differ by more than a factor
            A[:, -1] = A[:, 0] if d > 1 else 0.0
        return float(size) * A

    kinds = st.sampled_from(
        ("any", "any", *("singular, columns",) * 3, "singular", "nilpotent", "nilpotent, lower")
    )
    drawn = st.tuples(kinds, sizes(octaves), st.tuples(*[st.sampled_from(ENTRIES)] * (d * d)))
    return drawn.map(made)


def covariances(d: int, *, singular: bool = True, octaves: int = 10) -> SearchStrategy[Floats]:
    """Symmetric positive semidefinite matrices of every rank from 1 to d, ill-conditioned ones
    among them.

    They are ``T D T'`` for a diagonal D and a triangular T with ones on its diagonal, computed
    without rounding, so that no eigenvalue is negative.

    Parameters
    ----------
    d : int
        From 1 to 8.
    singular : bool
        Whether matrices of rank below d are drawn.
    octaves : int
        Entries of D other than 0 range from ``2^-octaves`` to ``2^octaves``, at most 10.

    Returns
    -------
    strategy of ndarray of shape (d, d)

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(covariances(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> simplest(covariances(2), lambda S: (S == S[0, 0]).all()).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    checked("d", d, 1, LARGEST_DIMENSION)
    checked("octaves", octaves, 0, 10)
    check_kind(bool, singular=singular)

    def made(drawn: tuple[Any, ...]) -> Floats:
        kept, diagonal, below = drawn
        D = floats(diagonal, d) * np.array(kept)
        if not D.any():
            D[0] = float(diagonal[0])
        T = np.eye(d)
        T[np.tril_indices(d, -1)] = below
        return (T * D) @ T.T

    kept = st.lists(st.sampled_from((1.0, 0.0) if singular else (1.0,)), min_size=d, max_size=d)
    diagonal = st.lists(sizes(octaves), min_size=d, max_size=d)
    below = st.lists(
        st.sampled_from((0.0, 1.0, -1.0, 0.5, -0.5, 2.0)),
        min_size=d * (d - 1) // 2,
        max_size=d * (d - 1) // 2,
    )
    return st.tuples(kept, diagonal, below).map(made)
