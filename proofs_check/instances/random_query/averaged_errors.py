"""The error of softmax attention on Gaussian tokens, averaged over Gaussian queries, at drawn
eigenvalues: for property tests of Theorem B and of the exponents of our R4.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.common_nodes import STEP, CommonNodes, common_nodes
from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf, Several, Share
from theory.attention.query_average import sharp_exponent, theorem_B

Floats = NDArray[np.float64]
LENGTHS = (1.0, 2.0, 3.0, 10.0, 1e2, 1e4, 1e8, 1e16, 1e30)
#: Two lengths L and L^2.
FAR = (1e50, 1e100)
#: Step of the second quadrature.
FINER = 0.16
DIMENSIONS = OneOf((1, 2, 3, 4))


def error_at_nodes(nodes: CommonNodes, eigenvalues: Floats, weights: Floats, t: float = 1.0) -> Floats:
    """Return the averaged error ``t E P2 + E[(P2 - 6 P3 + 6 Q) sum n_j x_j^2]`` in an eigenbasis of
    the scores.
    """
    one, by_weights = nodes.averages(np.diag(eigenvalues), np.diag(weights))
    return np.asarray(t * one @ nodes.P2 + by_weights @ (2 * nodes.P2 - nodes.b))


def below_its_limit(c: float) -> Computed:
    """Return ``E(L) <= c C1/L`` at drawn eigenvalues below 1/2, weights n_j <= t lambda_j and
    lengths.
    """

    def both(d: int, lam: float, ratios: Floats, shares: Floats, step: float = STEP) -> tuple[Floats, Floats]:
        nodes, l = common_nodes(LENGTHS, 400.0, step), lam * np.append(1.0, ratios)[:d]
        n = shares[:d] * l
        return error_at_nodes(nodes, l, n), c * float(
            theorem_B(list(l), list(n), 1.0).constant
        ) / nodes.lengths

    return Computed(
        "d = 1 to 4, eigenvalues below 1/2 and their weights, 0 included, t = 1, L = 1 to 1e30",
        {
            "d": DIMENSIONS,
            "lam": Share(0.0, 0.499),
            "ratios": Several(Share(), 3),
            "shares": Several(Share(), 4),
        },
        both,
        lambda L, **at: both(**at, step=FINER)[0][LENGTHS.index(L)],
        along=("L", LENGTHS),
        where=_named,
    )


def _named(d: int, lam: float, ratios: Floats, shares: Floats, **rest: Any) -> dict[str, Any]:
    return {
        "d": d,
        "lambda": lam,
        "ratios of the eigenvalues": ratios[: d - 1],
        "n_j/lambda_j": shares[:d],
        "t": 1,
        **rest,
    }


def near_its_law(scale: float) -> Computed:
    """Return Theorem B from lambda = 1/2 on: both of its sentences at drawn eigenvalues. The law is
    multiplied.
    """

    def both(
        d: int, lam: float, at_half: bool, ratios: Floats, shares: Floats, step: float = STEP
    ) -> tuple[list[float], list[float]]:
        nodes, l = common_nodes(FAR, 1600.0, step), (0.5 if at_half else lam) * np.append(1.0, ratios)[:d]
        n = shares[:d] * l
        law = theorem_B(list(l), list(n), 1.0)
        r = error_at_nodes(nodes, l, n) / (
            scale * law.constant * np.log(FAR) ** law.log_power * np.exp(-law.exponent * np.log(FAR))
        )
        near = [abs(float(x) - 1) * math.log(L) for x, L in zip(r, FAR)]
        return [abs(2 * float(r[1]) - float(r[0]) - 1), *near], [3e-3, 6.0, 6.0]

    parts = ("|2 r(L^2) - r(L) - 1|, L = 1e50", "|r - 1| ln L, L = 1e50", "|r - 1| ln L, L = 1e100")
    other = {"ratios": Several(Share(0.0, 0.5), 3), "shares": Several(Share(0.75, 1.0), 4)}
    return Computed(
        "d = 1 to 4, lambda = 1/2 or from 1 to 3/2, a simple one, weights n_j from 3/4 t lambda_j to t "
        "lambda_j, t = 1",
        {"d": DIMENSIONS, "lam": Share(1.0, 1.5), "at_half": OneOf((True, False)), **other},
        both,
        lambda of, **at: both(**at, step=FINER)[0][parts.index(of)],
        along=("of", parts),
        accuracy=1e-6,
        each=2,
        where=lambda lam, at_half, **at: _named(lam=0.5 if at_half else lam, **at),
    )


def near_its_exponent(scale: float) -> Computed:
    """Return that the slope of the output error at L = 1e50 is its exponent up to 0.025; the
    exponent is multiplied.
    """

    def off(d: int, lam: float, ratios: Floats, shares: Floats, step: float = STEP) -> float:
        l = lam * np.append(1.0, ratios)[:d]
        e = error_at_nodes(common_nodes(FAR, 1600.0, step), l, shares[:d] * l)
        return abs(math.log(e[0] / e[1]) / math.log(FAR[0]) - scale * sharp_exponent(lam))

    return Computed(
        "d = 1 to 4, the output, lambda up to 4, other eigenvalues and all weights from 0 on, L = 1e50 "
        "to 1e100",
        {
            "d": DIMENSIONS,
            "lam": Decades(0.01, 4.0, 0.5, zero=True),
            "ratios": Several(Share(), 3),
            "shares": Several(Share(), 4),
        },
        lambda **at: (off(**at), 0.025),
        lambda **at: off(**at, step=FINER),
        accuracy=1e-6,
        each=2,
        where=_named,
    )
