"""Moments of the tilted law, averaged over the query, against the constant with which Assumption
3.3 always holds: for that assumption and our R3.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from theory.bounds.sub_gaussian import tilted_moment_R3


@cache
def bound_of_R3(power: int) -> Callable[[Any, Any, Any], Any]:
    """The bound of R3 on E|Z|^p under the tilted law, from sigma^2, |a|^2 and d, for floats and Arb
    balls.
    """
    sigma2, square, d = sp.symbols("sigma2 square d", positive=True)
    return sp.lambdify((sigma2, square, d), tilted_moment_R3(sp.sqrt(sigma2), sp.sqrt(square), d, power))


@cache
def averaged(power: int, of_query: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    """The left side of Assumption 3.3 against sigma^{2p} M_{p,p'} with the constant of R3.A33."""

    def sides(populations: Any, numbers: Any) -> tuple[Any, Any]:
        mu, nu = populations
        n = mu.nodes.shape[1]
        U = numbers.reshape((n, n, *numbers.shape[1:]))
        norm2 = U[0, 0] * U[0, 0] if n == 1 else np.linalg.norm(U, 2) ** 2
        left: Any = 0
        right: Any = 0
        for node, mass, square in zip(nu.nodes, nu.masses, nu.squares):
            moment = mu.tilted((U * node[None]).sum(1)).mean(mu.squares ** (power // 2))
            weight = mass * square ** (of_query // 2)
            left = left + weight * moment
            right = right + weight * bound_of_R3(power)(mu.sigma2, norm2 * square, 0 * norm2 + n)
        return left, right

    return sides
