"""The boundary cases on which every probabilistic statement is tried: laws of tokens, lengths,
dimensions, matrices U, queries and functions f. Zero is among them wherever the papers allow it:
U = 0, z = 0, f = 0, and the law without any spread. Each law has its optimal variance proxy and
nodes for exact sums.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt

from numerics.token_laws.built_in import atoms, ball, sphere
from numerics.token_laws.independent import Independent
from numerics.token_laws.sub_gaussian import certified_proxy, kearns_saul
from numerics.token_laws.token_law import TokenLaw
from numerics.token_laws.weighted_nodes import ball_rule, gaussian_rule, sphere_rule

__all__ = ["DIMENSIONS", "LENGTHS", "edge_case_laws", "functions", "matrices", "queries"]

Array = npt.NDArray[np.float64]
LENGTHS = (1, 2, 3, 10, 40)
DIMENSIONS = (1, 2, 3)


def _gaussian(name: str, covariance: Array, factor: float = 1.0) -> TokenLaw:
    """``factor`` times a Gaussian vector with this covariance, which may be singular.

    `numerics.token_laws.gaussian` would leave out the axes without spread and so draw fewer normal
    numbers; here every law on R^d draws d of them.
    """
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(eigenvalues, 0, None))
    rule = gaussian_rule(root, float(eigenvalues[-1]))
    identity = {"kind": "gaussian", "Gamma": (factor**2 * covariance).tolist()}
    law = TokenLaw.of(Independent("normal", factor * root, identity))
    return replace(law, name=name, cubature=rule if factor == 1 else rule.scaled(factor))


def _on_a_line(
    name: str, values: tuple[Fraction, ...], weights: tuple[Fraction, ...], d: int, sigma2: float
) -> TokenLaw:
    """A law on the first axis of R^d."""
    points = tuple((v,) + (Fraction(0),) * (d - 1) for v in values)
    return replace(atoms(points, weights, sigma2=sigma2), name=name)


def edge_case_laws(d: int) -> list[TokenLaw]:
    """The edge cases of token laws on R^d: Gaussian (full, singular, tiny), Rademacher, sphere,
    ball, skewed on two and on three atoms, no spread at all, rescaled.

    Parameters
    ----------
    d : int
        1, 2 or 3.

    Returns
    -------
    list of TokenLaw

    Examples
    --------
    >>> [law.name for law in edge_case_laws(1)][:3]
    ['Gaussian', 'tiny Gaussian', 'Rademacher']
    """
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)):
        raise TypeError(f"d = {d!r} is no dimension; the edge cases are written for d in {DIMENSIONS}")
    return list(_laws(int(d)))


@cache
def _laws(d: int) -> tuple[TokenLaw, ...]:
    if d not in DIMENSIONS:
        raise ValueError(
            f"the edge cases are written for d in {DIMENSIONS}, got d = {d}; embed them for a larger "
            "dimension"
        )
    half, one = Fraction(1, 2), Fraction(1)
    full = np.eye(d) + 0.5 * (np.ones((d, d)) - np.eye(d)) * (np.add.outer(np.arange(d), np.arange(d)) == 1)
    corners = tuple(itertools.product((one, -one), repeat=d))
    signs = (half**d,) * 2**d
    out = [
        _gaussian("Gaussian", full),
        _gaussian("tiny Gaussian", 1e-8 * np.eye(d)),
        replace(atoms(corners, signs, sigma2=1.0), name="Rademacher"),
        replace(sphere(d), cubature=sphere_rule(d)),
        replace(ball(d), cubature=ball_rule(d)),
        _on_a_line("point mass at 0", (Fraction(0),), (one,), d, 0.0),
    ]
    if d > 1:
        out.append(_gaussian("singular Gaussian", np.diag([1.0] + [0.0] * (d - 1))))
    for q in (Fraction(1, 10), Fraction(1, 1000)):
        out.append(
            _on_a_line(f"two atoms, q = {q}", (one - q, -q), (q, one - q), d, float(kearns_saul(float(q))))
        )
    for values, weights in (
        ((Fraction(3), Fraction(0), -one), (Fraction(1, 8), half, Fraction(3, 8))),
        ((Fraction(10), Fraction(0), -one), (Fraction(1, 22), half, Fraction(5, 11))),
        ((one, Fraction(0), -one), (Fraction(1, 20), Fraction(9, 10), Fraction(1, 20))),
    ):
        proxy = float(certified_proxy(values, weights))
        out.append(_on_a_line(f"three atoms {', '.join(map(str, values))}", values, weights, d, proxy))
    small = 1e-3  # a float: these atoms are not rational, so that prompts are sampled
    tiny = atoms(np.array(corners, dtype=float) * small, np.array(signs, dtype=float), sigma2=small**2)
    return (*out, _gaussian("3 times Gaussian", full, 3.0), replace(tiny, name="0.001 times Rademacher"))


def matrices(d: int) -> Mapping[str, Array]:
    """Matrices U (d, d), zero first; one is neither symmetric nor invertible (for d > 1)."""
    return {"0": np.zeros((d, d)), "I": np.eye(d), "nilpotent": np.eye(d, k=1) if d > 1 else -np.eye(1)}


def queries(d: int) -> Mapping[str, Array]:
    """Queries z of shape (d,), zero first."""
    direction = np.arange(1, d + 1) / np.linalg.norm(np.arange(1, d + 1))
    return {"0": 0 * direction, "small": 0.01 * direction, "unit": direction, "large": 3 * direction}


def functions(d: int) -> Mapping[str, Callable[[Array], Array]]:
    """Functions f on tokens, vectorised from (..., d) to (..., d_out)."""
    V = np.arange(1, d + 1)[None, :] * np.array([[1.0], [-2.0]])
    v = np.ones(d)
    return {
        "z": lambda z: z,
        "V z": lambda z: z @ V.T,
        "(v.z) z": lambda z: (z @ v)[..., None] * z,
        "1": lambda z: np.ones((*z.shape[:-1], 1)),
        "0": lambda z: np.zeros((*z.shape[:-1], 1)),
        "1000 z": lambda z: 1000 * z,
    }
