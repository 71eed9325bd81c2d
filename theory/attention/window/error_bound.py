"""How far the loss of an attention window can be from its unified form for long prompts."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi

from theory.attention.window.classes import Spectrum
from theory.attention.window.gegenbauer import polynomials
from theory.attention.window.laws import bessel_quotient, bias, effective_samples, token_variance

__all__ = ["error_bound"]

Floats = NDArray[np.float64]
#: Nodes of the law of a token, enough for widths up to some hundred.
NODES = 600


@cache
def _sphere(d: int) -> tuple[Floats, Floats]:
    """Heights of a token and their probabilities; to find the nodes takes most of the time."""
    t, weights = roots_jacobi(NODES, (d - 3) / 2, (d - 3) / 2)
    return t, weights / weights.sum()


def error_bound(spectrum: Spectrum, w: float, n: int, noise: float) -> float:
    """The bound of our R14 on ``|loss - B^2 - (Q/n)(V + sigma^2)|``, for every n, w and
    ``noise = sigma^2``; the spectrum must leave out no degrees.
    """
    if spectrum.tail:
        raise ValueError(
            "the bound is evaluated for spectra that end; give from_spectrum(b) with the degrees that matter"
        )
    d = spectrum.d
    t, weights = _sphere(d)
    k = np.flatnonzero(spectrum.b[1:]) + 1
    b, once = spectrum.b[k], np.array([bessel_quotient(d, int(j), 2 * w) for j in k])
    at = b @ (1 - 2 * once[:, None] * polynomials(d, int(k.max()), t)[k] + once[:, None] ** 2)
    W2 = np.exp(-4 * w * (1 - t))
    eps = float(effective_samples(d, w)) / n
    V, B2, v = float(token_variance(spectrum, w)), float(bias(spectrum, w)), spectrum.varying
    B = B2**0.5
    tau = float(weights @ (W2 * at) ** 2 / (n * (weights @ (W2 * at)) ** 2))
    tau0 = float(weights @ W2**2 / (n * (weights @ W2) ** 2))
    tokens, labels = (9 + 3 * tau) ** 0.5, (1 + tau0) ** 0.5
    rare = 4 * v + B2 + 2 * B * (eps * V) ** 0.5 + tokens * eps * V + (1 + eps * labels) * noise
    return (
        4 * eps * B * V**0.5
        + 6 * eps**1.5 * (tokens * V + labels * noise)
        + float(np.exp(-1 / (16 * eps))) * rare
    )
