"""The boundary cases on which every probabilistic statement is tried, as code.

Token laws with their sub-Gaussian variance proxy, lengths, dimensions, matrices U, queries and
functions f. Zero is among them wherever the papers allow it: U = 0, z = 0, f = 0, and the law
without any spread.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from numerics.token_laws.sub_gaussian import certified_proxy, kearns_saul

__all__ = ["DIMENSIONS", "LENGTHS", "Law", "functions", "laws", "matrices", "queries"]

Array = npt.NDArray[np.float64]
Sampler = Callable[[np.random.Generator, int], Array]

LENGTHS = (1, 2, 3, 10, 40)
DIMENSIONS = (1, 2, 3)


@dataclass(frozen=True, eq=False)
class Law:
    """A law of tokens on R^d with its optimal sub-Gaussian variance proxy.

    Parameters
    ----------
    name : str
        How reports call it.
    d : int
        Dimension.
    sigma2 : float
        The least number with ``E exp(v'Z) <= exp(sigma2 |v|^2 / 2)`` for every v.
    nodes : ndarray of shape (m, d)
        Nodes of a cubature rule: the atoms of a discrete law, otherwise exact far beyond rounding
        for smooth integrands.
    masses : ndarray of shape (m,)
        Their positive weights, with sum 1.
    draw : callable
        ``draw(rng, size)``, independent samples of shape (size, d).
    atoms, weights : tuple, optional
        Exact atoms and probabilities of a discrete law with rational ones.

    Examples
    --------
    >>> law = next(law for law in laws(1) if law.name == "two atoms, q = 1/10")
    >>> round(law.sigma2, 4), [str(w) for w in law.weights]
    (0.182, ['1/10', '9/10'])
    """

    name: str
    d: int
    sigma2: float
    nodes: Array
    masses: Array
    draw: Sampler
    atoms: tuple[tuple[Fraction, ...], ...] = ()
    weights: tuple[Fraction, ...] = ()

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Independent tokens, shape (size, d)."""
        return self.draw(rng, size)

    def expectation(self, g: Callable[[Array], Array]) -> Any:
        """``E g(Z)`` by cubature; ``g`` maps (m, d) to (m, ...)."""
        return np.tensordot(self.masses, g(self.nodes), axes=1)

    def scaled(self, factor: float) -> Law:
        """The law of ``factor * Z``; rational atoms are kept only by `discrete`, since a float
        would falsify them.
        """
        draw = self.draw
        return replace(
            self,
            name=f"{factor:g} times {self.name}",
            sigma2=self.sigma2 * factor**2,
            nodes=self.nodes * factor,
            draw=lambda rng, size: factor * draw(rng, size),
            atoms=(),
            weights=(),
        )


def discrete(name: str, atoms: tuple[tuple[Fraction, ...], ...], weights: tuple[Fraction, ...], sigma2: float) -> Law:
    """A law on finitely many rational atoms."""
    nodes, masses = np.array(atoms, dtype=float), np.array(weights, dtype=float)

    def draw(rng: np.random.Generator, size: int) -> Array:
        return nodes[rng.choice(len(nodes), size=size, p=masses)]

    return Law(name, nodes.shape[1], sigma2, nodes, masses, draw, atoms, weights)


def gaussian(name: str, covariance: Array) -> Law:
    """A centred Gaussian law; its covariance may be singular."""
    d = len(covariance)
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(eigenvalues, 0, None))
    points, mass = np.polynomial.hermite_e.hermegauss({1: 60, 2: 40}.get(d, 24))
    grid = np.array(list(itertools.product(points, repeat=d)))
    masses = np.prod(np.array(list(itertools.product(mass / mass.sum(), repeat=d))), axis=1)
    return Law(name, d, float(eigenvalues[-1]), grid @ root.T, masses, lambda rng, size: rng.standard_normal((size, d)) @ root.T)


def sphere(d: int) -> Law:
    """The uniform law on the sphere of radius sqrt(d); its moments are below the Gaussian ones, so
    the variance 1 is a proxy.
    """
    if d == 1:
        nodes, masses = np.array([[1.0], [-1.0]]), np.array([0.5, 0.5])
    else:
        angle = 2 * np.pi * np.arange(48) / 48
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        nodes, masses = circle, np.full(48, 1 / 48)
        if d == 3:
            height, mass = np.polynomial.legendre.leggauss(32)
            ring = np.sqrt(1 - height**2)[:, None, None] * circle
            nodes = np.concatenate([ring, np.broadcast_to(height[:, None, None], (32, 48, 1))], axis=2).reshape(-1, 3)
            masses = np.repeat(mass / 2, 48) / 48

    def draw(rng: np.random.Generator, size: int) -> Array:
        g = rng.standard_normal((size, d))
        return np.sqrt(d) * g / np.linalg.norm(g, axis=1, keepdims=True)

    return Law("sphere", d, 1.0, nodes * np.sqrt(d), masses, draw)


def ball(d: int) -> Law:
    """The uniform law on the ball of radius sqrt(d + 2): the projection of a sphere in d + 2
    dimensions, so again with proxy 1.
    """
    surface = sphere(d)
    points, mass = np.polynomial.legendre.leggauss(24)
    radius, weight = (points + 1) / 2, mass / 2 * d * ((points + 1) / 2) ** (d - 1)
    scale = np.sqrt((d + 2) / d)
    nodes = (scale * radius[:, None, None] * surface.nodes).reshape(-1, d)

    def draw(rng: np.random.Generator, size: int) -> Array:
        return scale * rng.random((size, 1)) ** (1 / d) * surface.draw(rng, size)

    return Law("ball", d, 1.0, nodes, (weight[:, None] * surface.masses).ravel(), draw)


def _on_a_line(name: str, values: tuple[Fraction, ...], weights: tuple[Fraction, ...], d: int, sigma2: float) -> Law:
    """A law on the first axis of R^d."""
    return discrete(name, tuple((v,) + (Fraction(0),) * (d - 1) for v in values), weights, sigma2)


def laws(d: int) -> list[Law]:
    """The hostile token laws on R^d.

    Parameters
    ----------
    d : int
        1, 2 or 3.

    Returns
    -------
    list of Law
        Gaussian (full, singular, tiny), Rademacher, sphere, ball, skewed on two and on three atoms,
        no spread at all, rescaled.

    Raises
    ------
    TypeError, ValueError
        If d is not one of `DIMENSIONS`.

    Examples
    --------
    >>> [law.name for law in laws(1)][:3]
    ['Gaussian', 'tiny Gaussian', 'Rademacher']
    """
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)):
        raise TypeError(f"d = {d!r} is no dimension; the hostile laws are written for d in {DIMENSIONS}")
    return list(_laws(int(d)))


@cache
def _laws(d: int) -> tuple[Law, ...]:
    if d not in DIMENSIONS:
        raise ValueError(f"the hostile laws are written for d in {DIMENSIONS}, got d = {d}; embed them for a larger dimension")
    half, one = Fraction(1, 2), Fraction(1)
    full = np.eye(d) + 0.5 * (np.ones((d, d)) - np.eye(d)) * (np.add.outer(np.arange(d), np.arange(d)) == 1)
    corners = tuple(itertools.product((one, -one), repeat=d))
    out = [
        gaussian("Gaussian", full),
        gaussian("tiny Gaussian", 1e-8 * np.eye(d)),
        discrete("Rademacher", corners, (half**d,) * 2**d, 1.0),
        sphere(d),
        ball(d),
        _on_a_line("point mass at 0", (Fraction(0),), (one,), d, 0.0),
    ]
    if d > 1:
        out.append(gaussian("singular Gaussian", np.diag([1.0] + [0.0] * (d - 1))))
    for q in (Fraction(1, 10), Fraction(1, 1000)):
        out.append(_on_a_line(f"two atoms, q = {q}", (one - q, -q), (q, one - q), d, float(kearns_saul(float(q)))))
    for values, weights in (
        ((Fraction(3), Fraction(0), -one), (Fraction(1, 8), half, Fraction(3, 8))),
        ((Fraction(10), Fraction(0), -one), (Fraction(1, 22), half, Fraction(5, 11))),
        ((one, Fraction(0), -one), (Fraction(1, 20), Fraction(9, 10), Fraction(1, 20))),
    ):
        proxy = float(certified_proxy(values, weights))
        out.append(_on_a_line(f"three atoms {', '.join(map(str, values))}", values, weights, d, proxy))
    return (*out, out[0].scaled(3.0), out[2].scaled(1e-3))


def matrices(d: int) -> Mapping[str, Array]:
    """Matrices U of shape (d, d), zero first; one is neither symmetric nor invertible (for d > 1).

    Examples
    --------
    >>> list(matrices(2))
    ['0', 'I', 'nilpotent']
    """
    return {"0": np.zeros((d, d)), "I": np.eye(d), "nilpotent": np.eye(d, k=1) if d > 1 else -np.eye(1)}


def queries(d: int) -> Mapping[str, Array]:
    """Queries z of shape (d,), zero first.

    Examples
    --------
    >>> {name: z.tolist() for name, z in queries(1).items()}
    {'0': [0.0], 'small': [0.01], 'unit': [1.0], 'large': [3.0]}
    """
    direction = np.arange(1, d + 1) / np.linalg.norm(np.arange(1, d + 1))
    return {"0": 0 * direction, "small": 0.01 * direction, "unit": direction, "large": 3 * direction}


def functions(d: int) -> Mapping[str, Callable[[Array], Array]]:
    """Functions f on tokens, vectorised from (..., d) to (..., d_out).

    Examples
    --------
    >>> sorted(functions(1))
    ['(v.z) z', '0', '1', '1000 z', 'V z', 'z']
    """
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
