"""Bounds on moments, tails and tilted means of sub-Gaussian laws, tried on laws on at most three
rational atoms, on products of such laws, and on numbers over decades.

A law on the line has three codes: the quotient of the probabilities of its outer atoms, the share
of the atom between them (no such atom up to the code 0), and the place of that atom. All codes 0
are the fair sign. Every law has its exact sub-Gaussian constant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from numerics.counterexamples.drawn.climb import by_kind, climbed
from numerics.counterexamples.drawn.holds import Tried
from numerics.counterexamples.drawn.scalars import MOST, OCTAVE, Codes, decoded, table
from numerics.counterexamples.worst_case.worst_law import LawBound, RationalLaw, judged, ratio_of
from numerics.evidence import Evidence
from numerics.provers.enclosures.boxes import Side
from numerics.token_laws.sub_gaussian import kearns_saul, optimal_proxy
from numerics.token_laws.weighted_nodes import WeightedNodes

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["LawProperty", "atoms_of", "exact_atoms", "power", "unit_laws"]

Array = npt.NDArray[Any]
POSITIVE, SHARE = Side(fmpq(0), None, True), Side(fmpq(0), fmpq(1), True, True)
#: Codes of a law on the line.
OF_A_LAW = 3
#: Codes up to this one are read as 0 where 0 is the symmetric law.
FAIR = 512
#: A unit of length in which a witness is written: the constant of its laws is 1 up to that.
UNIT = 1000


def power(codes: Array) -> Array:
    """The numbers of codes in the open range from 0 on, rounded."""
    return np.ldexp(1 + (codes % OCTAVE) / OCTAVE, codes // OCTAVE)


def _read(codes: Any) -> tuple[Any, Any, Any]:
    """Codes of powers of two for the masses of the more probable outer atom and of the atom in the
    middle, where the other outer atom has the mass 1, and the code of the place in the middle. The
    worst laws of some bounds are limits of ever rarer atoms, so that a probability of about 1e-7 is
    the least.
    """
    beyond = lambda code: np.maximum(abs(code) - FAIR, 0)
    return 5 * beyond(codes[0]) // 4, 61 * codes[1] // 40 - 2048, np.sign(codes[2]) * beyond(codes[2])


def atoms_of(codes: Array) -> tuple[Array, Array]:
    """Centred atoms at distance 1 and probabilities, each of shape (3, n), for codes of shape
    (3, n); without an atom in the middle its probability is 0.
    """
    *masses, at = _read(codes)
    outer, middle = map(power, masses)
    middle, place = np.where(codes[1] > 0, middle, 0.0), table(SHARE)[at + MOST]
    two = np.where(codes[0] < 0, [outer, 0 * outer + 1], [0 * outer + 1, outer])
    low, mid, high = weights = np.stack([two[0], middle, two[1]]) / (1 + middle + outer)
    return np.stack(
        [-(mid * place + high), place * low - (1 - place) * high, low + mid * (1 - place)]
    ), weights


def exact_atoms(codes: Sequence[int]) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The same for one law, exactly and without atoms of probability 0."""
    *sizes, at = (int(n) for n in _read(codes))
    (outer, middle), place = (decoded(POSITIVE, m) for m in sizes), decoded(SHARE, at)
    masses = [Fraction(1), middle if codes[1] > 0 else Fraction(0), outer]
    kept = [
        (x, m / sum(masses))
        for x, m in zip((Fraction(0), place, Fraction(1)), masses[:: -1 if codes[0] < 0 else 1])
        if m
    ]
    mean = sum((x * p for x, p in kept), Fraction(0))
    return tuple(x - mean for x, _ in kept), tuple(p for _, p in kept)


def unit_laws(codes: Array) -> tuple[Array, Array]:
    """Atoms and probabilities at the sub-Gaussian constant 1."""
    _, first, of = np.unique(
        (codes[0] * (4 * MOST) + codes[1]) * (4 * MOST) + codes[2], return_index=True, return_inverse=True
    )
    codes = codes[:, first]
    atoms, weights = atoms_of(codes)
    proxy = np.asarray(kearns_saul(np.minimum(weights[0], weights[2]) / (weights[0] + weights[2])))
    three = codes[1] > 0
    if three.any():
        proxy = proxy.copy()
        proxy[three] = optimal_proxy(atoms[:, three], weights[:, three])
    return (atoms / np.sqrt(proxy))[:, of], weights[:, of]


def _sum_of_two(code: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The sum of two independent copies of the symmetric law with this code."""
    mass: dict[Fraction, Fraction] = {}
    for (x, p), (y, q) in product(list(zip(*exact_atoms((0, code, 0)))), repeat=2):
        mass[x + y] = mass.get(x + y, Fraction(0)) + p * q
    return tuple(mass), tuple(mass.values())


@cache
def _symmetric(laws: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Codes of symmetric laws, with an atom in the middle and without, which are extreme for many
    bounds.
    """
    every = [
        [((OF_A_LAW * i, 0), (OF_A_LAW * i + 1, code), (OF_A_LAW * i + 2, 0)) for code in range(0, MOST, 256)]
        for i in range(laws)
    ]
    return tuple(sum(some, ()) for some in product(*(law[:: 2 * laws - 1] for law in every)))


class _ByLength(WeightedNodes):
    """Vectors known by their length only, which their nodes spread over all coordinates."""

    @cached_property
    def squares(self) -> Array:
        """``|z|^2`` at every node."""
        return super().squares


@lru_cache(maxsize=8)
def _products(d: int, key: bytes) -> WeightedNodes:
    """Vectors with d independent coordinates, each the sum of two independent copies of a symmetric
    law over the root of 2, at the constant 1.
    """
    codes = np.frombuffer(key, dtype=int)
    atoms, (half, zero, _) = unit_laws(np.stack([0 * codes, codes, 0 * codes]))
    masses = np.ones((1, len(codes)))
    for _ in range(d):
        longer = np.zeros((len(masses) + 4, len(codes)))
        for k, p in ((0, zero * zero + 2 * half * half), (1, 4 * half * zero), (4, 2 * half * half)):
            longer[k : k + len(masses)] += p * masses
        masses = longer
    length = np.sqrt(np.arange(4 * d + 1.0) / 2)[:, None] * atoms[2]
    return _ByLength(
        np.broadcast_to(length[:, None] / math.sqrt(d), (len(length), d, len(codes))),
        masses,
        np.ones(len(codes)),
    )


@lru_cache(maxsize=64)
def _drawn(laws: int, key: bytes) -> list[tuple[Array, Array]]:
    """Atoms and probabilities of each law; properties that share an example share them."""
    codes = np.frombuffer(key, dtype=int).reshape(laws * OF_A_LAW, -1)
    return [unit_laws(codes[OF_A_LAW * i : OF_A_LAW * (i + 1)]) for i in range(laws)]


@dataclass(frozen=True)
class LawProperty:
    """A bound of `worst_case.worst_law` at drawn laws. The first law has any constant of at
    least 1, or is smaller than its constant 1 allows.
    """

    bound: LawBound

    @property
    def drawn(self) -> Codes:
        """The codes of the laws, of a scale, of the numbers and of the dimension."""
        return Codes(
            self.bound.laws * OF_A_LAW + 1 + len(self.bound.numbers) + (len(self.bound.dimensions) > 1)
        )

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        laws = "a law" if self.bound.laws == 1 else f"{self.bound.laws} laws"
        text = (
            f"{laws} on at most three rational atoms at the exact sub-Gaussian constant, probabilities "
            "from 1e-7 on"
        )
        if self.bound.numbers:
            text += ", numbers in " + " and ".join(f"[{lo}, {hi}]" for lo, hi in self.bound.numbers)
        if len(self.bound.dimensions) > 1:
            text += (
                ", vectors with independent coordinates in d = "
                f"{', '.join(map(str, self.bound.dimensions[1:]))}"
            )
        return text

    def _dimension(self, example: Sequence[int]) -> int:
        among = self.bound.dimensions
        return among[abs(example[-1]) * len(among) // (MOST + 1)] if len(among) > 1 else 1

    def _sides(self) -> list[Side]:
        return [
            Side(*(fmpq(*Fraction(str(e)).as_integer_ratio()) for e in ends)) for ends in self.bound.numbers
        ]

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio on a climb from the example."""
        return self.tried_together([example])[0]

    def tried_together(self, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        """The same for several examples, of which those of one dimension climb at once."""
        return by_kind(self._dimension, self._climbed, examples)

    def _climbed(self, d: int, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        count = self.bound.laws * OF_A_LAW + 1 + len(self.bound.numbers)
        ratios = lambda codes: self._ratios(codes, d)
        if d > 1:
            return climbed(
                ratios, examples, (1,), 1, leaps=tuple(((1, code),) for code in range(0, MOST, 128))
            )
        if len(self.bound.dimensions) > 1:  # often many bounds at once, so that they share one round
            return climbed(ratios, examples, range(count), 1, leaps=_symmetric(1))
        return climbed(ratios, examples, range(count), leaps=_symmetric(self.bound.laws))

    def _ratios(self, codes: Array, d: int) -> Array:
        scale = self.bound.laws * OF_A_LAW
        size = table(POSITIVE)[codes[:, scale] + MOST]
        if d > 1:
            populations = [_products(d, np.ascontiguousarray(codes[:, 1]).tobytes())]
        else:
            laws = _drawn(self.bound.laws, np.ascontiguousarray(codes[:, :scale].T).tobytes())
            populations = [
                WeightedNodes(atoms[:, None], weights, np.ones(len(codes))) for atoms, weights in laws
            ]
            first = populations[0]
            populations[0] = WeightedNodes(first.nodes * size, first.masses, np.maximum(size, 1.0) ** 2)
        numbers = np.array([table(s)[codes[:, scale + 1 + i] + MOST] for i, s in enumerate(self._sides())])
        with np.errstate(all="ignore"):
            left, right = (side + np.zeros(len(codes)) for side in self.bound.sides(populations, numbers))
            return np.where(
                np.isfinite(left) & np.isfinite(right),
                ratio_of(left, right) / float(self.bound.limit),
                -np.inf,
            )

    def _point(self, at: Sequence[int]) -> tuple[list[RationalLaw], list[Fraction]]:
        scale, d = self.bound.laws * OF_A_LAW, self._dimension(at)
        size, laws = decoded(POSITIVE, at[scale]), []
        for i in range(self.bound.laws):
            atoms, weights = (
                exact_atoms(at[OF_A_LAW * i : OF_A_LAW * (i + 1)]) if d == 1 else _sum_of_two(at[1])
            )
            unit = UNIT / math.sqrt(
                float(optimal_proxy([float(x) for x in atoms], [float(p) for p in weights]))
            )
            # the first law may have a larger constant than 1, another one a smaller one
            factor = size * math.ceil(unit - 1e-6) if i == 0 else Fraction(math.floor(unit + 1e-6))
            share = min(size, Fraction(1)) if i == 0 else Fraction(1)
            laws.append(RationalLaw(tuple(factor * x / UNIT for x in atoms), weights, d, share))
        numbers = [decoded(s, at[scale + 1 + i]) for i, s in enumerate(self._sides())]
        return laws, numbers

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        return judged(self.bound, *self._point(at))

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        laws, numbers = self._point(at)
        return self.bound.named(laws, numbers)

    def scaled(self, factor: Fraction) -> LawProperty:
        checked = rf"\text{{the same with the larger side times }}{factor}:\; {self.bound.checked}"
        return replace(
            self, bound=replace(self.bound, limit=factor * Fraction(self.bound.limit), checked=checked)
        )
