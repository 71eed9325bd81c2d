"""The coordinates in which a gradient flow of the in-context risk is integrated: (U11, u) itself,
its eigenvalues if everything is diagonal in one basis, or the factors K, Q, o, v that SGD moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.training.parameters import Parameters
from theory.inputs.arrays import read_arrays

__all__ = ["Coordinates", "Factors", "read_coordinates"]

Floats = NDArray[np.float64]


class Factors(NamedTuple):
    """The blocks of (O, V, K, Q) that are not zero on the block manifold: ``U11 = c K'Q`` and
    ``u = o.v``, c the score scale.
    """

    #: First d columns of the key and query matrices.
    K: Floats
    Q: Floats
    #: The row of O that gives the prediction.
    o: Floats
    #: Last column of V.
    v: Floats

    def parameters(self) -> Parameters:
        """All of (O, V, K, Q), zero outside the blocks: a start for `numerics.train`, or what a
        flow predicts for it. It needs factors of m = d + 1 rows.
        """
        *lead, m, d = self.K.shape
        if m != d + 1:
            raise ValueError(
                f"K has {m} rows, but parameters of tokens (x, y) have d + 1 = {d + 1}; append rows of zeros"
            )
        V = np.zeros((*lead, m, m))
        V[..., :, d] = self.v
        K, Q = (np.concatenate([M, np.zeros((*lead, m, 1))], axis=-1) for M in (self.K, self.Q))
        return Parameters(O=self.o, V=V, K=K, Q=Q)


class Coordinates(NamedTuple):
    """Coordinates of (U, u) as one vector."""

    start: Floats
    #: From a vector to its (U, u).
    point: Callable[[Floats], tuple[Floats, float]]
    #: From a vector and the gradient in (U, u) to the gradient in the vector.
    pull_back: Callable[[Floats, Floats, float], Floats]
    #: From a vector to the `Factors` that it stands for, if the start was given in factors.
    factors: Callable[[Floats], Factors] | None = None


def _plain(U: Floats, u: Floats) -> Coordinates:
    """The entries of U, and u."""
    d = len(U)
    return Coordinates(
        np.append(U.ravel(), u),
        lambda y: (y[:-1].reshape(d, d), float(y[-1])),
        lambda _, to_U, to_u: np.append(to_U.ravel(), to_u),
    )


def _diagonal(U: Floats, u: Floats, basis: Floats) -> Coordinates:
    """If everything is diagonal in one basis the flow stays there, with d + 1 unknowns."""
    return Coordinates(
        np.append(np.einsum("ji,jk,ki->i", basis, U, basis), u),
        lambda y: ((basis * y[:-1]) @ basis.T, float(y[-1])),
        lambda _, to_U, to_u: np.append(np.einsum("ji,jk,ki->i", basis, to_U, basis), to_u),
    )


def _common_basis(*matrices: Floats) -> Floats | None:
    """An orthonormal basis in which all are diagonal, to rounding."""
    scaled = [M / max(float(np.abs(M).max()), np.finfo(float).tiny) for M in matrices]
    # Its eigenvectors are those of all, unless two of its eigenvalues agree by accident: then the
    # plain coordinates serve.
    mixed = sum((M + M.T) * np.cos(k + 1.0) for k, M in enumerate(scaled))
    basis = np.linalg.eigh(mixed)[1]
    turned = [basis.T @ M @ basis for M in scaled]
    rest = max(float(np.abs(M - np.diag(np.diag(M))).max()) for M in turned)
    return np.asarray(basis) if rest < 1e-14 * len(basis) else None


def _factored(K: Floats, Q: Floats, o: Floats, v: Floats, c: float) -> Coordinates:
    """The entries of the factors, with ``U = c K'Q`` and ``u = o.v``."""
    cuts, shape = np.cumsum([K.size, Q.size, o.size]), K.shape

    def split(y: Floats) -> Factors:
        """From (..., size)."""
        k, q, a, b = np.split(y, cuts, axis=-1)
        lead = y.shape[:-1]
        return Factors(k.reshape(*lead, *shape), q.reshape(*lead, *shape), a, b)

    def point(y: Floats) -> tuple[Floats, float]:
        k, q, a, b = split(y)
        return c * k.T @ q, float(a @ b)

    def pull_back(y: Floats, to_U: Floats, to_u: float) -> Floats:
        k, q, a, b = split(y)
        return np.concatenate([c * (q @ to_U.T).ravel(), c * (k @ to_U).ravel(), to_u * b, to_u * a])

    return Coordinates(np.concatenate([K.ravel(), Q.ravel(), o, v]), point, pull_back, split)


def read_coordinates(
    start: tuple[Any, float] | Factors, S: Floats, S_q: Floats, score_scale: float
) -> Coordinates:
    """The coordinates of a start that is checked: of `Factors` as it is, of a pair as few as will
    do.

    >>> read_coordinates((np.eye(2), 1.0), np.eye(2), np.eye(2), 1.0).start.size
    3
    """
    if isinstance(start, Factors):
        _, K, Q, o, v, c = read_arrays(
            Sigma=(S, "d d"),
            K=(start.K, "m d"),
            Q=(start.Q, "m d"),
            o=(start.o, "k"),
            v=(start.v, "k"),
            score_scale=(score_scale, ""),
        )
        if not c > 0:
            raise ValueError(f"score_scale = {score_scale} is not positive; it is the factor of the scores")
        return _factored(K, Q, o, v, float(c))
    try:
        U11, u11 = start
    except (TypeError, ValueError):
        raise TypeError("start is neither a pair (U11, u) nor Factors(K, Q, o, v)") from None
    _, U, u = read_arrays(Sigma=(S, "d d"), U11=(U11, "d d"), u=(u11, ""))
    basis = _common_basis(S, S_q, U)
    return _plain(U, u) if basis is None else _diagonal(U, u, basis)
