"""Weighted moments of the query, ``E|z|^{2j} e^{|z|^2/4}``, at queries with Gaussian coordinates
and one coordinate on few rational atoms: a property of our bound on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from numerics.counterexamples.drawn.holds import Tried
from numerics.counterexamples.drawn.prompts_and_queries import RARE, drawn_query
from numerics.counterexamples.worst_case.query_average import Instance, tightest
from numerics.evidence import Evidence, Verdict
from numerics.rationals import sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["WeightedQueries"]

#: Standard deviations of the Gaussian coordinates, all of them tried at each example.
DEVIATIONS = tuple(Fraction(n, 8) for n in (8, 7, 6, 4, 2, 0))
POWERS = range(5)


@dataclass(frozen=True)
class WeightedQueries:
    """``E|z|^{2j} e^{|z|^2/4} <= right(d, j)``, in floats or SymPy numbers, for 1-sub-Gaussian
    queries and j = 0, ..., 4. A standard Gaussian query has the moment 2^{d/2} for j = 0.
    """

    right: Callable[[Any, int], Any]
    covered = (
        "queries with up to ten independent coordinates: Gaussian ones of variance at most 1, and one on two "
        "or three rational atoms at its exact constant"
    )
    drawn = "queries with Gaussian and atomic coordinates"

    def strategy(self) -> SearchStrategy[tuple[int, int, int]]:
        """Gaussian coordinates, other ones, and how rare the outer atoms of one of these are."""
        from numerics.counterexamples.drawn.rows import Row

        return Row((0, 8), (0, 2), (0, len(RARE) - 1))

    def tried(self, example: tuple[int, int, int]) -> Tried:
        """The worst ratio over j and the variance of the Gaussian coordinates."""
        best = Tried(float("nan"))
        for s in DEVIATIONS:
            for j in POWERS:
                left, right = self._left(example, s, j, float), float(self.right(float(self._d(example)), j))
                if not best.ratio >= left / right:
                    best = Tried(left / right, (s, j, left, right))
        return best

    @staticmethod
    def _d(example: tuple[int, int, int]) -> int:
        return max(1, sum(example[:2]))

    @staticmethod
    def _left(example: tuple[int, int, int], s: Fraction, j: int, number: Callable[[Fraction], Any]) -> Any:
        """The moment of |g|^2 + |y|^2 for independent coordinates, by the binomial theorem."""
        gaussian, other, rare = example
        exp, square = (np.exp, float(s) ** 2) if number is float else (sp.exp, sympy_rational(s) ** 2)
        law = drawn_query(1, 0, rare if other else -1)
        points = [
            (number(x * x if other else Fraction(0)), number(w)) for (x,), w in zip(law.points, law.weights)
        ]
        left = 1 - square / 2  # e^{|g|^2/4} makes the variance s^2/(1 - s^2/2)
        total = 0 * square
        for i in range(j + 1):
            of_g = (
                left ** (-number(Fraction(gaussian, 2)))
                * (square / left) ** i
                * math.prod(gaussian + 2 * k for k in range(i))
            )
            of_y = sum(w * x ** (j - i) * exp(x / 4) for x, w in points)
            total = total + math.comb(j, i) * of_g * of_y
        return total

    def exactly(self, example: tuple[int, int, int], at: tuple[Fraction, int, float, float]) -> Evidence:
        s, j, left, right = at
        if example[1] and drawn_query(1, 0, example[2]).certain() > 1:
            reason = "the query is not certain to be 1-sub-Gaussian"
            return Evidence(verdict=Verdict.OPEN, engine="property test", reason=reason)
        exact = lambda: (
            self._left(example, s, j, sympy_rational),
            self.right(sp.Integer(self._d(example)), j),
        )
        found = tightest(
            [Instance(self.shown(example, at), left, right, exact)], checked="", covered="one query"
        )
        return found.replace(engine="property test")

    def shown(
        self, example: tuple[int, int, int], at: tuple[Fraction, int, float, float]
    ) -> Mapping[str, Any]:
        gaussian, other, rare = example
        law = drawn_query(1, 0, rare)
        atoms = (
            {"atoms": ", ".join(str(x) for (x,) in law.points), "weights": ", ".join(map(str, law.weights))}
            if other
            else {}
        )
        query = f"{gaussian} coordinates N(0, {at[0] ** 2})" if gaussian else "no Gaussian coordinate"
        return {"query": query, "d": self._d(example), "j": at[1], "lambda": "1/4", **atoms}
