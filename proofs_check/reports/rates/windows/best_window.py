"""Which window to use: the formula of the best width, its symbols, and worked numbers. The report
begins with it.
"""

from __future__ import annotations

from typing import NamedTuple

from proofs_check.reports.rates.windows.widths import AFFINE, finite
from theory.attention.window.laws import curvature_law, noise_constant

__all__ = ["WORKED", "Worked", "which_window", "worked"]

#: Dimension, tokens and sigma: a long prompt, and the setting of the paper's figures.
WORKED = (5, 100_000, 1.0), (5, 20, 0.01)


class Worked(NamedTuple):
    """The best width of affine tasks with L = 1 in one place."""

    d: int
    n: int
    sigma: float
    Lambda: float
    #: ``C_d``.
    constant: float
    law: float
    #: The best width at this n, by our R13.
    exact: float


def worked(d: int, n: int, sigma: float) -> Worked:
    """The formula beside the exact best width."""
    whole, curvature = n / sigma**2, AFFINE.spectrum(d).curvature
    law = float(curvature_law(d, curvature, whole))
    return Worked(d, n, sigma, whole, float(noise_constant(d)), law, finite(AFFINE, d, n, sigma**2))


def which_window() -> list[str]:
    """The formula, what its symbols are, what matrix that is, and where it can be used: sentences
    with formulas typed on a keyboard.
    """
    long, short = (worked(*place) for place in WORKED)
    return [
        "Affine tasks: the best window has the weights exp(-w |x_i - x|^2) with w^* = [(d-1) Lambda/(12 d "
        "C_d)]^(2/(d+3)), and smooth tasks with w^* = [Lambda lap_2/(4 (d-1) C_d)]^(2/(d+3)), for long "
        "prompts under noise.",
        "Lambda = n L^2/sigma^2 for n tokens uniform on the unit sphere of R^d, tasks with the Lipschitz "
        "constant L and label noise of the variance sigma^2; C_d = sqrt(2 pi) 2^(1 - d/2)/Gamma(d/2); lap_2 "
        "is the mean square of the Laplacian of a task with L = 1, (d-1)^2/(3 d) for affine tasks.",
        "In the scores x_i' M x that is M = 2w I, and M = 2w Sigma^(-1) for covariates Sigma^(1/2) x_i, as "
        "in Assumption 3.3. The w_KQ of Theorem 3.4, where M = w_KQ Sigma^(-1), is 2w; from (8) on the paper "
        "writes w_KQ for w.",
        f"For d = {long.d}, n = {long.n}, sigma = {long.sigma:g}, L = 1 it is C_{long.d} = "
        f"{long.constant:.4f}, Lambda = {long.Lambda:.0f} and w^* = {long.law:.2f}, and the exact best width "
        f"is {long.exact:.2f}. At the paper's n = {short.n}, sigma = {short.sigma:g} the exact one is "
        f"{short.exact:.2f}, so that M = {2 * short.exact:.2f} I; the formula gives {short.law:.2f}, since "
        f"{short.n} tokens are no long prompt. The library computes the exact width at every n.",
    ]
