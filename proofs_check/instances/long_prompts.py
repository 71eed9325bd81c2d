"""How softmax attention on a long prompt of two kinds of tokens approaches its limit: the exact
binomial tail and Hoeffding's bound, and their comparison as a property.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.counterexamples.drawn.holds import Tried
from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["CHECKED", "LongPrompts", "compared"]

CHECKED = r"\mathbb{P}(|T_L - T| > 1/4) \le 2e^{-cL}"
#: How far the average may be from its limit.
EPS = Fraction(1, 4)


def _rate(atoms: tuple[int, int], q: Fraction, tilted: bool) -> tuple[Fraction, Fraction]:
    """Return the limit T, or the plain mean, for tokens with P(Z = atoms[0]) = q and weights 2^z,
    and the c of Hoeffding's inequality: sum w_k (z_k - T) has mean zero, and stays within eps S_L
    unless it leaves eps L min(w).
    """
    u, v = (Fraction(2) ** z for z in atoms)
    a, b = (u, v) if tilted else (Fraction(1), Fraction(1))
    T = (q * a * atoms[0] + (1 - q) * b * atoms[1]) / (q * a + (1 - q) * b)
    return T, 2 * (EPS * min(u, v) / (u * (atoms[0] - T) - v * (atoms[1] - T))) ** 2


def _tail(L: int, q: Fraction, atoms: tuple[int, int], T: Fraction) -> Fraction:
    """Return P(|T_L - T| > eps) exactly."""
    (a, b), total = atoms, Fraction(0)
    u, v = Fraction(2) ** a, Fraction(2) ** b
    for k in range(L + 1):
        if abs((k * u * a + (L - k) * v * b) / (k * u + (L - k) * v) - T) > EPS:
            total += math.comb(L, k) * q**k * (1 - q) ** (L - k)
    return total


@cache
def compared(L: int, atoms: tuple[int, int], q: Fraction, tilted: bool) -> tuple[Mapping[str, Any], Any, Any]:
    """Where, and enclosures of the tail and of its bound 2 e^{-cL}."""
    T, c = _rate(atoms, q, tilted)
    return (
        {"L": L, "atoms": str(atoms), "q": q, "T": T},
        arb_ball(_tail(L, q, atoms, T)),
        2 * (-arb_ball(c * L)).exp(),
    )


@dataclass(frozen=True)
class LongPrompts:
    """P(|T_L - T| > 1/4) <= 2 e^{-cL} for tokens on two whole numbers, with weights 2^z. If
    `tilted`, T is the limit; otherwise it is the plain mean.
    """

    tilted: bool
    covered = (
        "tokens on two whole numbers from -9 to 9 with probabilities from 1/256 to 255/256, L = 1 to 300"
    )
    drawn = "two whole numbers, odds and a length"

    def strategy(self) -> SearchStrategy[tuple[int, int, int, int]]:
        """Distances of the two numbers from 1 and -1, logarithm of the odds, and longest prompt."""
        from numerics.counterexamples.drawn.rows import Row

        return Row((0, 8), (0, 8), (-8, 8), (0, 299))

    @staticmethod
    def _law(example: tuple[int, int, int, int]) -> tuple[tuple[int, int], Fraction]:
        up, down, odds, _ = example
        return (1 + up, -1 - down), Fraction(2) ** odds / (1 + Fraction(2) ** odds)

    def tried(self, example: tuple[int, int, int, int]) -> Tried:
        """The worst ratio over short prompts and a longer one."""
        atoms, q = self._law(example)
        T, c = map(float, _rate(atoms, q, self.tilted))
        best = Tried(float("nan"))
        for L in dict.fromkeys((1, 2, 3, 10, 1 + example[3])):
            k = np.arange(L + 1)
            w = np.stack([k * 2.0 ** atoms[0], (L - k) * 2.0 ** atoms[1]])
            away = abs((w[0] * atoms[0] + w[1] * atoms[1]) / w.sum(0) - T) > float(EPS)
            tail = float(_binomial(L, q)[away].sum())
            ratio = tail / (2 * math.exp(-c * L))
            if not best.ratio >= ratio:
                best = Tried(ratio, L)
        return best

    def exactly(self, example: tuple[int, int, int, int], at: int) -> Evidence:
        where, tail, bound = compared(at, *self._law(example), self.tilted)
        common: dict[str, Any] = {"engine": "property test", "checked": CHECKED}
        if tail > bound:
            witness = {**where, "P": float(tail), "bound": float(bound)}
            return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
        return Evidence(verdict=Verdict.SUPPORTED, covered="one prompt", **common)

    def shown(self, example: tuple[int, int, int, int], at: int) -> Mapping[str, Any]:
        return compared(at, *self._law(example), self.tilted)[0]


@cache
def _binomial(L: int, q: Fraction) -> Any:
    """The probabilities of 0, ..., L tokens of the first kind."""
    choose = [math.lgamma(L + 1) - math.lgamma(k + 1) - math.lgamma(L - k + 1) for k in range(L + 1)]
    k = np.arange(L + 1)
    return np.exp(np.array(choose) + k * math.log(q) + (L - k) * math.log(1 - q))
