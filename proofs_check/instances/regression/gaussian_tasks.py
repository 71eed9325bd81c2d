"""Tasks with Gaussian tokens and queries, drawn for property tests: the moments of output and
Jacobian in closed form, and by a rule over the query that is exact for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.computed import Computed, Entries, OneOf
from theory.inputs.spectrum import symmetric_root

Floats = NDArray[np.float64]
#: The rule with three nodes, exact for polynomials of degree 5 in a standard normal variable.
NODES, MASSES = np.array([-(3**0.5), 0.0, 3**0.5]), np.array([1 / 6, 2 / 3, 1 / 6])


def over_queries(covariance: Floats, f: Callable[[Floats], float]) -> float:
    """Return the mean of a polynomial of degree 5 at most over centred Gaussian queries.

    >>> round(over_queries(np.eye(2), lambda z: float(z @ z) ** 2), 9)
    8.0
    """
    d, root = len(covariance), symmetric_root(covariance)
    return sum(
        float(np.prod(MASSES[list(at)])) * f(root @ NODES[list(at)]) for at in product(range(3), repeat=d)
    )


def power_over_queries(covariance: Floats, A: Floats, power: int) -> float:
    """Return the mean of ``|A z|^power`` by this rule, for an even power up to 4."""
    return over_queries(covariance, lambda z: float(np.linalg.norm(A @ z)) ** power)


def jacobian(U: Floats, V: Floats, Gamma: Floats, z: Floats) -> Floats:
    """Return the Jacobian of ``V Gamma U z`` in the entries of U and V."""
    return np.hstack([np.kron(V @ Gamma, z), np.kron(np.eye(len(V)), Gamma @ U @ z)])


def operator_norm(A: Floats) -> Floats:
    """Return the largest singular value of each matrix, by a quadratic equation if it has rank 2 at
    most.
    """
    if min(A.shape[-2:]) > 2:
        return np.linalg.norm(A, 2, axis=(-2, -1))
    square = A @ np.swapaxes(A, -2, -1) if A.shape[-2] <= 2 else np.swapaxes(A, -2, -1) @ A
    half = trace(square) / 2
    determinant = np.linalg.det(square) if square.shape[-1] == 2 else 0 * half
    return np.sqrt(half + np.sqrt(np.maximum(half**2 - determinant, 0)))


def trace(A: Floats) -> Floats:
    """Return the trace of each matrix."""
    return np.trace(A, axis1=-2, axis2=-1)


def largest_variance(spread: Sequence[Floats], power: int) -> Floats:
    """Return ``E sigma^power`` for ``sigma^2 = max(1, |Gamma|)``."""
    return np.mean([np.maximum(1.0, operator_norm(G)) ** (power / 2) for G in spread], axis=0)


def with_covariates(d: int, U: Floats, V: Floats, B: Floats) -> tuple[Floats, Floats, list[Floats]]:
    """Return U, V and the token covariances of two tasks, d + 1 x d + 1 and of rank 2 at most,
    whose covariates are 1-sub-Gaussian.
    """
    n, spread = d + 1, []
    for root in np.moveaxis(B.reshape(-1, 2, 3, 2), 1, 0)[:, :, :n]:
        scaled = root.copy()
        scaled[:, :d] /= np.maximum(1.0, operator_norm(scaled[:, :d]))[:, None, None]
        spread.append(scaled @ np.swapaxes(scaled, -2, -1))
    return U.reshape(-1, 3, 3)[:, :n, :n], V.reshape(-1, 3, 3)[:, :n, :n], spread


def drawn_tasks(statistic: Callable[..., Any], two: float) -> Computed:
    """Return ``statistic <= two`` at drawn tasks. The statistic is the ratio of both sides without
    their constant, from U, V, the covariances of the tasks and d, of many tasks at once; with
    ``by_nodes=True`` of one by `over_queries`.
    """

    def sides(d: int, tasks: int, **drawn: Floats) -> tuple[Floats, float]:
        U, V, spread = with_covariates(d, **drawn)
        with np.errstate(invalid="ignore"):
            return statistic(U, V, spread[:tasks], d), two  # nan if a matrix vanishes

    def one(d: int, tasks: int, **drawn: Floats) -> tuple[Floats, Floats, list[Floats]]:
        U, V, spread = with_covariates(d, **drawn)
        return U[0], V[0], [G[0] for G in spread[:tasks]]

    def again(d: int, **drawn: Any) -> float:
        return float(statistic(*one(d, **drawn), d, by_nodes=True))

    def named(d: int, **drawn: Any) -> dict[str, Any]:
        U, V, spread = one(d, **drawn)
        return {"d": d, "U": U, "V": V, **{f"Gamma {k + 1}": G for k, G in enumerate(spread)}}

    return Computed(
        "climbs from drawn tasks, d = 1, 2, one or two of them: U, V and roots of covariances of rank "
        "2, entries 0 or 1/16 to 16",
        {"d": OneOf((1, 2)), "tasks": OneOf((1, 2)), "U": Entries(9), "V": Entries(9), "B": Entries(12)},
        sides,
        again,
        each=5,
        steps=(-1280, -256, 256, 1280),
        vector=True,
        where=named,
    )
