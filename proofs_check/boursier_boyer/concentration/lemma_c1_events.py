"""Lemma C.1 of Boursier & Boyer, the proof: the two events that bracket the normaliser S_L, as they
are printed and as they are meant. Their probabilities are computed exactly for laws on few atoms,
and bounded for all laws by derivations.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import sympy as sp
from flint import arb

from numerics.attention.exact.softmax_average import SoftmaxAverage, normaliser, softmax_average
from numerics.counterexamples.drawn.climb import climbed
from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.drawn.laws import SHARE
from numerics.counterexamples.drawn.scalars import MOST, Codes, decoded, table
from numerics.counterexamples.drawn.tails import LAW, LENGTH, SCORE, averages, instance, length_of
from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, supported
from theory.bounds.concentration import alpha_minus, alpha_plus

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

L, a2, delta, S = sp.symbols("L a2 delta S", positive=True)
LOWER = (1 - alpha_minus(L, a2, delta)) * S
UPPER = 1 + alpha_plus(L, a2, delta)
# Rademacher tokens (sigma = 1, the exact constant) at a query with Uz = u, from the shortest prompt
# and the simplest numbers on.
LENGTHS = (1, 2, 3, 4, 10, 40)
SCORES = tuple(Fraction(u) for u in ("0", "1", "1/2", "2"))
DELTAS = tuple(Fraction(d) for d in ("1/2", "1/3", "1/4", "1/10", "1/100", "9/10", "19/20", "99/100"))
BALLS = {"exp": lambda x: arb(x).exp(), "log": lambda x: arb(x).log(), "sqrt": lambda x: arb(x).sqrt()}

Bound = Callable[..., Any]


def _rademacher(L: int, u: Any, half: Any) -> SoftmaxAverage:
    return softmax_average(
        L, np.array([u, -u]), np.array([[u * 0 + 1, u * 0 + 1]]), np.array([half, half]), u * u
    )


def _outside(average: SoftmaxAverage, lower: Any, upper: Any) -> Any:
    """P(S_L < lower or S_L > upper); for balls, of the outcomes that are certainly there."""
    value = normaliser.of(average)
    return sum(
        (w for w, v in zip(average.weight, value, strict=True) if v < lower or v > upper),
        0 * average.weight[0],
    )


@dataclass(frozen=True)
class Within:
    """P(lower <= S_L <= upper) >= level, as a property of drawn laws, scores and lengths
    (`numerics.counterexamples.drawn.tails`) and of delta, which has the last code.
    """

    lower: sp.Expr
    upper: sp.Expr
    level: sp.Expr

    @property
    def checked(self) -> str:
        return (
            rf"\mathbb{{P}}\left({sp.latex(self.lower)} \le S_L \le {sp.latex(self.upper)}\right) \ge "
            rf"{sp.latex(self.level)}"
        )

    @property
    def drawn(self) -> Codes:
        return Codes(LENGTH + 2)

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        return "laws on two and three rational atoms, |Uz| up to 5, L up to 40, delta in (0, 1)"

    @cached_property
    def _bound(self) -> Bound:
        return cast(Bound, sp.lambdify((L, a2, delta, S), (self.lower, self.upper, self.level), "numpy"))

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio beside the example, of the probability outside to the one allowed."""
        length = length_of(example)
        return climbed(lambda codes: self._ratios(codes, length), [example], (*LAW, SCORE, LENGTH + 1), 2)[0]

    def _ratios(self, codes: Any, length: int) -> Any:
        c = averages(codes[:, :-1], length, 1)
        lower, upper, level = self._bound(length, c.a2, table(SHARE)[codes[:, -1] + MOST], c.S)
        value = normaliser.of(c)
        outside = (c.weight * ((value < lower * (1 - ROUNDING)) | (value > upper * (1 + ROUNDING)))).sum(0)
        return outside / (1 - level)

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        """The statement at this instance, by Arb."""
        length, point = instance(at[:-1], 1)
        c, d = point.average(length), decoded(SHARE, at[-1])
        lower, upper, level = sp.lambdify((L, a2, delta, S), (self.lower, self.upper, self.level), [BALLS])(
            arb(length), c.a2, arb_ball(d), c.S
        )
        common: dict[str, Any] = {"engine": "enumeration", "checked": self.checked, "sides": (self,)}
        if (outside := _outside(c, lower, upper)) > 1 - level:
            witness = {**self.shown(example, at), "P": float(1 - outside), "required": float(level)}
            return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
        return supported(covered="one instance", **common)

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        length, point = instance(at[:-1], 1)
        law = {name: text for name, text in point.describe().items() if name != "f"}
        return {"L": length, **law, "delta": decoded(SHARE, at[-1])}


def _probability_within(lower: sp.Expr, upper: sp.Expr, level: sp.Expr) -> Evidence:
    """Check P(lower <= S_L <= upper) >= level at every instance of the grid."""
    symbols = (L, a2, delta, S)
    floats: Bound = sp.lambdify(symbols, (lower, upper, level), "math")
    balls: Bound = sp.lambdify(symbols, (lower, upper, level), [BALLS])
    tightest: dict[str, Any] = {}
    slack = np.inf
    statement = Within(lower, upper, level)
    common: dict[str, Any] = {"engine": "enumeration", "checked": statement.checked, "sides": (statement,)}
    for length, u, d in itertools.product(LENGTHS, SCORES, DELTAS):
        at = {"L": length, "Uz": u, "delta": d, "law": "Rademacher"}
        average = _rademacher(length, float(u), 0.5)
        low, high, required = floats(length, float(u) ** 2, float(d), average.S)
        outside = float(_outside(average, low, high))
        if outside > 1 - required + 1e-9:
            exact = _rademacher(length, arb_ball(u), arb(0.5))
            low, high, required = balls(arb(length), arb_ball(u * u), arb_ball(d), exact.S)
            if _outside(exact, low, high) > 1 - required:
                witness = {**at, "P": 1 - outside, "required": float(required)}
                return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
        if outside and (1 - required) / outside < slack:
            slack, tightest = (1 - required) / outside, at
    covered = (
        f"Rademacher tokens, L in {LENGTHS}, Uz in ({', '.join(map(str, SCORES))}), delta in "
        f"({', '.join(map(str, DELTAS))})"
    )
    return supported(covered=covered, slack=slack, tightest=tightest, dimension="d = 1", **common)


@claim(
    "BB:LC.1.am",
    **TYPO,
    repair=dict(level=1 - delta),
    control=dict(level=1 - delta / 2),
    hypotheses=("L in Integers", "L >= 1", "0 < delta", "delta < 1"),
)
def probability_of_the_lower_event(*, level: sp.Expr = delta) -> Evidence:
    r"""The event $S_L\geq(1-\alpha_-)S$ has at least the probability `level`. Printed is $\delta$,
    which is refuted; $1-\delta$ is meant, and derived for $\alpha_-<1$. For $\alpha_-\geq1$ the
    event is sure.
    """
    found = _probability_within(LOWER, sp.oo, level)
    share = sp.cancel((1 - level) / delta)
    return derivation("BB:LC.1.am", found, share=Fraction(str(share))) if share.is_Rational else found


@claim(
    "BB:LC.1.sand",
    **TYPO,
    repair=dict(factor=S),
    sharp="c",
    hypotheses=("L in Integers", "L >= 1", "0 < delta", "delta < 1"),
)
def sandwich(*, factor: sp.Expr = sp.Integer(1), c: int = 1) -> Evidence:
    r"""With `c` = 1, $\mathbb{P}((1-\alpha_-)S\leq S_L\leq(1+c\,\alpha_+)S)\geq1-2\delta$. Printed
    is $1$ for the last `factor` $S$, which is refuted; with $S$ it is derived for $\alpha_-<1$.
    """
    found = _probability_within(LOWER, (1 + c * alpha_plus(L, a2, delta)) * factor, 1 - 2 * delta)
    return derivation("BB:LC.1.sand", found, c=Fraction(str(c))) if factor == S else found
