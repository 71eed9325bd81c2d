"""Lemma C.1 of Boursier & Boyer, the proof: the two events that bracket the normaliser S_L, as they
are printed and as they are meant. Their probabilities are computed exactly for laws on few atoms.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from numerics.attention.softmax_average import SoftmaxAverage, normaliser, softmax_average
from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball
from proofs_check.core.claim import claim
from theory.bounds.concentration import alpha_minus, alpha_plus

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
    return softmax_average(L, np.array([u, -u]), np.array([[u * 0 + 1, u * 0 + 1]]), np.array([half, half]), u * u)


def _outside(average: SoftmaxAverage, lower: Any, upper: Any) -> Any:
    """Return the probability of S_L < lower or S_L > upper; for balls, that of the outcomes that
    are certainly there.
    """
    value = normaliser.of(average)
    return sum((w for w, v in zip(average.weight, value, strict=True) if v < lower or v > upper), 0 * average.weight[0])


def _probability_within(lower: sp.Expr, upper: sp.Expr, level: sp.Expr) -> Evidence:
    """Check P(lower <= S_L <= upper) >= level at every instance of the grid."""
    symbols = (L, a2, delta, S)
    floats: Bound = sp.lambdify(symbols, (lower, upper, level), "math")
    balls: Bound = sp.lambdify(symbols, (lower, upper, level), [BALLS])
    tightest: dict[str, Any] = {}
    slack = np.inf
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
                return Evidence(verdict=Verdict.REFUTED, engine="enumeration", witness=witness, witness_by="Arb")
        if outside and (1 - required) / outside < slack:
            slack, tightest = (1 - required) / outside, at
    covered = f"Rademacher tokens, L in {LENGTHS}, Uz in ({', '.join(map(str, SCORES))}), delta in ({', '.join(map(str, DELTAS))})"
    shown = rf"\mathbb{{P}}\left({sp.latex(lower)} \le S_L \le {sp.latex(upper)}\right) \ge {sp.latex(level)}"
    return Evidence(
        verdict=Verdict.SUPPORTED,
        engine="enumeration",
        checked=shown,
        covered=covered,
        slack=slack,
        tightest=tightest,
        dimension="d = 1",
    )


@claim(
    "BB:LC.1.am",
    false="typo",
    costs="nothing",
    why=r"The tail bound before this line gives the complement at most the probability $\delta$, so that the event has at least "
    r"$1-\delta$; near $\delta=1$ it need not even have $\delta$.",
    instead=r"Write $1-\delta$ for $\delta$: with probability at least $1-\delta$, $S_{L}\geq(1-\alpha_{-})S$.",
    repair=dict(level=1 - delta),
    control=dict(level=1 - delta / 2),
    needs=("BB:LC.1.CL", "BB:LC.1.am/choice"),
    argument=r"The choice of $\alpha_-$ makes the Chung-Lu bound equal to $\delta$, and for $\alpha_-\geq1$ the event is sure.",
    hypotheses=("L in Integers", "L >= 1", "0 < delta", "delta < 1"),
)
def probability_of_the_lower_event(*, level: sp.Expr = delta) -> Evidence:
    r"""The event $S_L\geq(1-\alpha_-)S$ has at least the probability `level`. Printed is $\delta$,
    which is refuted; $1-\delta$ is meant and repairs it.
    """
    return _probability_within(LOWER, sp.oo, level)


@claim(
    "BB:LC.1.sand",
    false="typo",
    costs="nothing",
    why=r"The factor $S$ is missing on the right: $S_{L}$ is of order $L$ and $1+\alpha_{+}$ is not.",
    instead=r"Put the factor $S$ on the right: with probability at least $1-2\delta$, "
    r"$(1-\alpha_{-})S\leq S_{L}\leq(1+\alpha_{+})S$.",
    repair=dict(factor=S),
    dial="c",
    needs=("BB:LC.1.am", "BB:LC.1.BCL"),
    argument=r"Each of the two events fails with probability at most $\delta$.",
    hypotheses=("L in Integers", "L >= 1", "0 < delta", "delta < 1"),
)
def sandwich(*, factor: sp.Expr = sp.Integer(1), c: int = 1) -> Evidence:
    r"""With `c` = 1, $\mathbb{P}((1-\alpha_-)S\leq S_L\leq(1+c\,\alpha_+)S)\geq1-2\delta$. Printed
    is $1$ for the last `factor` $S$, which is refuted; the repair puts $S$.
    """
    return _probability_within(LOWER, (1 + c * alpha_plus(L, a2, delta)) * factor, 1 - 2 * delta)
