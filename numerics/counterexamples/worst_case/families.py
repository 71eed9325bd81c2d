"""Families of token laws with few parameters, in which bounds on the softmax average are tried, and
the rational instances near them, of which witnesses are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from numerics import token_laws
from numerics.attention.exact.softmax_average import SoftmaxAverage, softmax_average
from numerics.rationals import arb_ball
from numerics.token_laws.sub_gaussian import certified_proxy, enclosed_proxy, kearns_saul, optimal_proxy

__all__ = ["DENOMINATORS", "RARE_ATOMS", "THREE_ATOMS", "TWO_ATOMS", "Family", "Point", "on_line"]

Array = npt.NDArray[np.float64]
#: Largest denominators of a witness, tried in this order.
DENOMINATORS = (1, 2, 3, 5, 10, 20, 50, 100, 1000, 10**4, 10**6)


@dataclass(frozen=True)
class Point:
    """A rational instance in dimension 1: a law on few atoms, the number ``Uz`` and the values of f
    at the atoms.
    """

    #: With rational atoms on the line.
    law: token_laws.TokenLaw
    Uz: Fraction
    f: tuple[Fraction, ...]

    @property
    def atoms(self) -> tuple[Fraction, ...]:
        """The values of a token."""
        return tuple(x for (x,) in self.law.atoms)

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """Their probabilities."""
        return self.law.weights

    def sigma2(self) -> Any:
        """An enclosure of a sub-Gaussian variance proxy: the optimal one for at most two atoms,
        else within 1e-5 of it.
        """
        return enclosed_proxy(self.atoms, self.weights)

    def average(self, L: int) -> SoftmaxAverage:
        """Every outcome of a prompt of length L, as Arb balls."""
        column = lambda values: np.array([arb_ball(v) for v in values], dtype=object)
        sigma2 = self.sigma2()
        tokens = column([x * x for x in self.atoms]), sigma2, 1
        scores, a2 = column([self.Uz * x for x in self.atoms]), sigma2 * arb_ball(self.Uz * self.Uz)
        return softmax_average(L, scores, column(self.f)[None], column(self.weights), a2, tokens)

    def approximate(self, L: int) -> SoftmaxAverage:
        """Every outcome of a prompt of length L, in floating point."""
        scores, sigma2 = [float(self.Uz * x) for x in self.atoms], float(self.sigma2())
        tokens = np.array([float(x * x) for x in self.atoms]), sigma2, 1
        f, weights = [[float(v) for v in self.f]], [float(p) for p in self.weights]
        return softmax_average(L, scores, f, weights, sigma2 * float(self.Uz) ** 2, tokens)

    def describe(self) -> dict[str, str]:
        """The instance as witnesses show it."""
        join = lambda values: ", ".join(str(v) for v in values)
        atoms, weights = self.atoms, self.weights
        if len(atoms) != 2:
            try:
                proxy = str(certified_proxy(atoms, weights))
            except ArithmeticError:  # of very uneven atoms: shown, but nothing is evaluated with it
                proxy = (
                    "about "
                    f"{float(optimal_proxy([float(x) for x in atoms], [float(p) for p in weights])):.9g}"
                )
        elif weights[0] == weights[1]:
            proxy = str(atoms[0] ** 2)
        else:
            q, gap = weights[0], atoms[0] - atoms[1]
            factor = (1 - 2 * q) * gap * gap / 2
            proxy = f"{factor.numerator}/({factor.denominator}*log({(1 - q) / q}))"
        return {
            "atoms": join(atoms),
            "weights": join(weights),
            "sigma2": proxy,
            "Uz": str(self.Uz),
            "f": join(self.f),
        }


def on_line(values: Iterable[int | Fraction], weights: Iterable[Fraction]) -> token_laws.TokenLaw:
    """The law on the line with these rational atoms and probabilities."""
    return token_laws.atoms([(Fraction(x),) for x in values], tuple(weights))


@dataclass(frozen=True, eq=False)
class Family:
    """Laws, queries and functions that depend on finitely many real parameters."""

    name: str
    #: The range of each parameter.
    box: tuple[tuple[float, float], ...]
    #: Prompt lengths that are affordable for a search.
    lengths: tuple[int, ...]
    #: ``build(x)``: (scores, f, weights, a2, squared tokens, sigma2) as floats, for parameters of
    #: shape (len(box), batch).
    build: Callable[[Array], tuple[Array, ...]]
    #: ``rational(x, denominator)``: a nearby `Point`.
    rational: Callable[[Array, int], Point]

    def average(self, L: int, x: Array) -> SoftmaxAverage:
        """The softmax average at every column of ``x``."""
        scores, f, weights, a2, z2, sigma2 = self.build(x)
        return softmax_average(L, scores, f[None], weights, a2, (z2, sigma2, 1))


def _short(value: float, denominator: int) -> Fraction:
    """A short fraction near ``value``; small numbers are rounded by their inverse, lest they become
    0.
    """
    if value == 0 or abs(value) >= 1:
        return Fraction(value).limit_denominator(denominator)
    return 1 / Fraction(1 / value).limit_denominator(denominator)


def _projective(values: Array, denominator: int) -> tuple[Fraction, ...]:
    """Short fractions near the values of f, up to a factor that makes the largest 1."""
    top = max(values, key=abs)
    return tuple(Fraction(float(v / top)).limit_denominator(denominator) for v in values)


def _skewed(direction: Array) -> Array:
    """Values of f from a point of the sphere. The fifth power spreads them: bounds are tight where
    values differ much in size, and the search would seldom step there.
    """
    return direction * np.abs(direction) ** 4


def _circle(angle: Any) -> Array:
    """Two values of f, from an angle."""
    return _skewed(np.stack([np.cos(angle), np.sin(angle)]))


def _sphere(latitude: Any, longitude: Any) -> Array:
    """Three values of f, from two angles."""
    return _skewed(
        np.stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
        )
    )


def _two_atoms(x: Array) -> tuple[Array, ...]:
    """Laws on two atoms: log10 of the smaller probability, sigma Uz, and the angle of f."""
    q, a, angle = 10.0 ** x[0], x[1], x[2]
    weights, atoms, proxy = np.stack([q, 1 - q]), np.stack([1 - q, -q]), kearns_saul(q)
    return a / np.sqrt(proxy) * atoms, _circle(angle), weights, a * a, atoms * atoms, proxy


def _two_rational(x: Array, denominator: int) -> Point:
    q = min(_short(10.0 ** x[0], denominator), Fraction(1, 2))
    Uz = Fraction(x[1] / np.sqrt(float(kearns_saul(float(q))))).limit_denominator(denominator)
    return Point(on_line((1 - q, -q), (q, 1 - q)), Uz, _projective(_circle(x[2]), denominator))


def _three_atoms(x: Array) -> tuple[Array, ...]:
    """Laws on three atoms: two logarithms of ratios of probabilities, the place of the middle atom,
    sigma Uz, and the angles of f.
    """
    mass = np.exp(np.stack([x[0], 0 * x[0], x[1]]))
    weights = mass / mass.sum(0)
    atoms = np.stack([0 * x[2], x[2], 0 * x[2] + 1])
    atoms = atoms - (weights * atoms).sum(0)
    proxy = optimal_proxy(atoms, weights)
    return x[3] / np.sqrt(proxy) * atoms, _sphere(x[4], x[5]), weights, x[3] * x[3], atoms * atoms, proxy


def _three_rational(x: Array, denominator: int) -> Point:
    lower, upper = (max(_short(float(v), denominator), Fraction(1, 10**6)) for v in np.exp(x[:2]))
    total = lower + 1 + upper
    weights = (lower / total, 1 / total, upper / total)
    middle = Fraction(x[2]).limit_denominator(denominator)
    mean = weights[1] * middle + weights[2]
    atoms = (-mean, middle - mean, 1 - mean)
    scale = np.sqrt(float(optimal_proxy([float(v) for v in atoms], [float(p) for p in weights])))
    Uz = Fraction(x[3] / scale).limit_denominator(denominator)
    return Point(on_line(atoms, weights), Uz, _projective(_sphere(x[4], x[5]), denominator))


HALF_TURN = (-np.pi / 2, np.pi / 2)
#: Every centred law on two atoms with the rarer one not below 1e-6, at its exact constant, sigma
#: |Uz| <= 4.
TWO_ATOMS = Family(
    "two atoms",
    ((-6.0, float(np.log10(0.5))), (-4.0, 4.0), HALF_TURN),
    (1, 2, 3, 5, 10, 30, 100, 1000),
    _two_atoms,
    _two_rational,
)
#: Every law on three atoms with ratios of weights between e^-8 and e^8.
THREE_ATOMS = Family(
    "three atoms",
    ((-8.0, 8.0), (-8.0, 8.0), (0.0, 1.0), (-4.0, 4.0), HALF_TURN, (0.0, 2 * np.pi)),
    (1, 2, 4, 8),
    _three_atoms,
    _three_rational,
)
#: The same with atoms as rare as e^-14, at which property tests found larger ratios of bounds on
#: the normaliser S_L; where the worst law has no rare atoms, the search finds less in it.
RARE_ATOMS = replace(
    THREE_ATOMS,
    name="three rare atoms",
    box=((-14.0, 14.0), (-14.0, 14.0), *THREE_ATOMS.box[2:]),
    lengths=(1, 2),
)
