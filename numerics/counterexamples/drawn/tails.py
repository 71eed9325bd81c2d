"""Chains of integrated tails, tried at drawn laws on the line, scores, functions and lengths. An
example has the three codes of a law (`drawn.laws`), one of the score, one for each
atom of the factor of f there, and one of the length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.attention.exact.softmax_average import SoftmaxAverage, softmax_average
from numerics.counterexamples.drawn.climb import by_kind, climbed
from numerics.counterexamples.drawn.holds import Tried
from numerics.counterexamples.drawn.laws import FAIR, POSITIVE, exact_atoms, power, unit_laws
from numerics.counterexamples.drawn.scalars import MOST, Codes, decoded, table
from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.tails import TailChain
from numerics.evidence import Evidence
from numerics.token_laws.sub_gaussian import optimal_proxy

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["TailProperty", "averages", "instance", "length_of"]

Array = npt.NDArray[Any]
#: Places of the codes: a law, the score, factors of f at the atoms, the length.
LAW, SCORE, FACTORS, LENGTH = range(3), 3, range(4, 7), 7
#: The longest prompts, and the longest ones of tokens with an atom in the middle.
LONGEST, LONGEST_OF_THREE = 40, 8
#: Codes of scores: four of these steps make a step of a power of two, around this code.
MIDDLE_SCORE = 2816


@dataclass(frozen=True)
class TailProperty:
    """A chain of `numerics.counterexamples.worst_case.tails` at drawn instances."""

    chain: TailChain

    @property
    def drawn(self) -> Codes:
        """Codes of the law, the score, the function and the length."""
        return Codes(LENGTH + 1)

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        return (
            f"laws on two and three rational atoms, f(z) = C z^{self.chain.growth} with C over twelve "
            f"decades at each atom, |Uz| up to 5, L up to {LONGEST}"
        )

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio beside the example; long prompts, for whose tokens two atoms are drawn,
        are tried with a token less and a token more.
        """
        return self.tried_together([example])[0]

    def tried_together(self, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        """The same for several examples, of which those of one length climb at once."""
        return by_kind(length_of, self._climbed, examples)

    def _climbed(self, length: int, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        if length <= LONGEST_OF_THREE:
            return climbed(partial(self._ratios, length=length), examples, (*LAW, SCORE, *FACTORS), 2)
        free, found = (0, SCORE, FACTORS[0], FACTORS[2]), []
        for step in (0, -1, 1):
            beside = [_with_length(example, length + step) for example in examples]
            found.append(climbed(partial(self._ratios, length=length_of(beside[0])), beside, free, 1))
        return [
            max((t for t in tried if not math.isnan(t.ratio)), key=lambda t: t.ratio, default=tried[0])
            for tried in zip(*found)
        ]

    def _ratios(self, codes: Array, length: int) -> Array:
        with np.errstate(all="ignore"):
            return self.chain.ratios(averages(codes, length, self.chain.growth))

    def _point(self, at: Sequence[int]) -> tuple[int, Point]:
        return instance(at, self.chain.growth)

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        return self.chain.judged(*self._point(at))

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        length, point = self._point(at)
        return {"L": length, **point.describe()}

    def scaled(self, factor: Fraction) -> TailProperty:
        return replace(self, chain=replace(self.chain, factor=factor * self.chain.factor))


def averages(codes: Array, length: int, growth: int) -> SoftmaxAverage:
    """The softmax averages with these codes in its rows, in floating point, at sigma = 1."""
    n = codes.T
    atoms, weights = unit_laws(n[:3])
    size = np.abs(n[SCORE])
    u = np.where(size < FAIR, 0.0, np.sign(n[SCORE]) * power((size - MIDDLE_SCORE) // 4))
    f = np.where(weights > 0, table(POSITIVE)[n[4:7] + MOST] * atoms**growth, 0.0)
    if length > LONGEST_OF_THREE:
        atoms, weights, f = atoms[::2], weights[::2], f[::2]
    tokens = atoms * atoms, np.ones(len(codes)), 1
    with np.errstate(
        all="ignore"
    ):  # a probability of 0 would become nan in the logarithms of probabilities of prompts
        return softmax_average(length, u * atoms, f[None], np.maximum(weights, 1e-300), u * u, tokens)


def instance(at: Sequence[int], growth: int) -> tuple[int, Point]:
    """The length and the rational instance with these codes, its constant sigma near 1."""
    atoms, weights = exact_atoms(at[:3])
    proxy = float(optimal_proxy([float(x) for x in atoms], [float(p) for p in weights]))
    unit = Fraction(1 / math.sqrt(proxy)).limit_denominator(1000)
    atoms, size = tuple(unit * x for x in atoms), abs(at[SCORE])
    u = (
        (-1 if at[SCORE] < 0 else 1) * decoded(POSITIVE, (size - MIDDLE_SCORE) // 4)
        if size >= FAIR
        else Fraction(0)
    )
    factors = [decoded(POSITIVE, at[i]) for i in FACTORS]
    f = [c * x**growth for c, x in zip(factors if len(atoms) == 3 else factors[::2], atoms)]
    return length_of(at), Point(on_line(atoms, weights), u, tuple(f))


def length_of(codes: Sequence[int]) -> int:
    """The length of the prompt."""
    return 1 + abs(codes[LENGTH]) * LONGEST // (MOST + 1)


def _with_length(codes: tuple[int, ...], length: int) -> tuple[int, ...]:
    """The same codes with another length, and without an atom in the middle where that is long."""
    middle = codes[1] if length <= LONGEST_OF_THREE else 0
    return (codes[0], middle, *codes[2:LENGTH], -(-(min(length, LONGEST) - 1) * (MOST + 1) // LONGEST))
