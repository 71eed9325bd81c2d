"""The largest norm of several independent sub-Gaussian vectors, with the laws on which bounds on
norms are tried: for Lemmas D.1 and D.2 and our R3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from numerics.token_laws.edge_cases import DIMENSIONS, edge_case_laws
from numerics.token_laws.weighted_nodes import WeightedNodes

#: Dimensions in which vectors with independent coordinates are tried, beside d = 1.
PRODUCTS = (1, 2, 3, 10, 100)


def largest(population: Any, length: int, power: Fraction) -> Any:
    """E max |z_l|^p over independent copies; 2p an integer."""
    order = np.argsort(population.squares, axis=0, kind="stable")
    squares = np.take_along_axis(population.squares, order, 0)
    below = np.cumsum(np.take_along_axis(population.masses, order, 0), axis=0) ** length
    first = below[:1]
    masses = np.concatenate([first, below[1:] - below[:-1]])
    return (masses * np.sqrt(np.sqrt(squares)) ** int(2 * power)).sum(0)


@cache
def vectors() -> list[tuple[str, Any, Any]]:
    """The hostile laws that are no point mass."""
    return [
        (f"{law.name} in d = {n}", (law,), ()) for n in DIMENSIONS for law in edge_case_laws(n) if law.sigma2
    ]


@cache
def norms() -> list[tuple[str, Any, Any]]:
    """Laws whose norm takes few values, exactly, and the Gaussian norm on a fine grid."""
    return list(_norms())


def _norms() -> Iterator[tuple[str, Any, Any]]:
    from scipy.stats import chi2

    for n in DIMENSIONS:
        for law in edge_case_laws(n):
            if law.sigma2 and (law.atoms or law.name == "sphere"):
                yield f"{law.name} in d = {n}", (law,), ()
    for n in (1, 2, 3, 10, 100):
        r = np.linspace(0, math.sqrt(n) + 12, 1001)
        nodes = np.zeros((1000, n))
        nodes[:, 0] = (r[1:] + r[:-1]) / 2
        above = chi2.sf(r**2, n)
        yield f"Gaussian in d = {n}", (WeightedNodes(nodes, above[:-1] - above[1:], 1.0),), ()
