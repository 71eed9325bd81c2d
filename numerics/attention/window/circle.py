"""The loss of attention with a diagonal M on the circle, for a task of one coordinate: exact for
every number of tokens, by three integrals.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from theory.inputs.whole_numbers import read_whole

__all__ = ["circle_loss"]

Floats = NDArray[np.float64]
#: Below ``e^LEAST`` the variable of the outer integral no longer matters.
LEAST = -30.0


def circle_loss(
    alpha: float,
    beta: float,
    n: int,
    f: Callable[..., Floats],
    noise: float = 0.0,
    *,
    rule: str = "trapezoid",
) -> float:
    r"""The mean squared error of softmax attention with $M=\mathrm{diag}(\alpha,\beta)$ and n
    labelled tokens that are uniform on the circle, for the task ``f(x_1)`` with label noise of
    variance ``noise``. The trapezoidal rule converges faster than any power here; "gauss" is the
    rule of Gauss and Legendre on pieces.

    With ``e_i = exp(x_i' M x)``, ``1/S^2 = int v exp(-vS) dv``, ``K = exp(-v e)`` and
    ``g = f(x_i) - f(x)`` the error at a query x is

        int v (n E[e^2 (g^2 + noise) K] E[K]^{n-1} + n (n-1) E[e g K]^2 E[K]^{n-2}) dv.
    """
    n = read_whole("n", n, "give a positive number", least=1)
    if not (math.isfinite(alpha) and math.isfinite(beta) and 0 <= noise < math.inf):
        raise ValueError(
            f"alpha = {alpha}, beta = {beta}, noise = {noise}: give finite numbers, and a noise that is not "
            "negative"
        )
    top = 2 * max(abs(alpha), abs(beta)) + 6
    if rule == "trapezoid":
        angles, shares = np.arange(192) * (2 * np.pi / 192), np.full(192, 1 / 192)
        t, dt = np.linspace(LEAST, top, int((top - LEAST) / 0.25), retstep=True)
        weights = np.full(len(t), dt)
    elif rule == "gauss":
        angles, shares = _pieces(0.0, 2 * np.pi, 12, 24)
        shares = shares / (2 * np.pi)
        t, weights = _pieces(LEAST, top, int((top - LEAST) / 2), 16)
    else:
        raise ValueError(f"no rule is called {rule!r}; take 'trapezoid' or 'gauss'")
    x, v, values = np.array([np.cos(angles), np.sin(angles)]), np.exp(t)[:, None], f(np.cos(angles))
    loss = 0.0
    # Reflecting the second coordinate of tokens and query changes nothing: half of the circle does.
    for angle in (np.arange(32) + 0.5) * np.pi / 32:
        score = alpha * np.cos(angle) * x[0] + beta * np.sin(angle) * x[1]
        e, g = np.exp(score - score.max()), values - f(np.cos(angle))
        K = np.exp(-v * e)
        one, single, double = K @ shares, K @ (shares * e * g), K @ (shares * e**2 * (g**2 + noise))
        pairs = n * (n - 1) * single**2 * one ** (n - 2) if n > 1 else 0.0
        loss += float(weights @ (v[:, 0] ** 2 * (n * double * one ** (n - 1) + pairs)))
    return loss / 32


def _pieces(low: float, high: float, count: int, nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights of the rule of Gauss and Legendre on pieces of equal length."""
    y, p = np.polynomial.legendre.leggauss(nodes)
    ends = np.linspace(low, high, count + 1)
    half = np.diff(ends)[:, None] / 2
    return (ends[:-1, None] + half * (y + 1)).ravel(), (half * p).ravel()
