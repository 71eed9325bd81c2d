"""The estimator of softmax attention with ``M = 2 w I`` on the sphere, and its error on a prompt.

Source: Section 2 and Appendix B of Collins et al.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.attention.layer import softmax_weights
from theory.attention.window.classes import TaskClass
from theory.inputs.arrays import Floats, read_arrays

__all__ = ["bias_and_noise", "estimate", "weights"]


def weights(tokens: ArrayLike, query: ArrayLike, w: float) -> Floats:
    """The weights ``e^{-w|x_i-x|^2}`` of the tokens (n, d), w >= 0, divided by their sum."""
    x, z, width = read_arrays(tokens=(tokens, "n d"), query=(query, "d"), w=(w, ""))
    if width < 0:
        raise ValueError(
            f"w = {w} is negative, and distant tokens would have the largest weights; give w >= 0"
        )
    return softmax_weights(-width * ((x - z) ** 2).sum(axis=1))


def estimate(tokens: ArrayLike, labels: ArrayLike, query: ArrayLike, w: float) -> float:
    """What attention predicts for the query: the mean of the labels under the weights."""
    _, y = read_arrays(tokens=(tokens, "n d"), labels=(labels, "n"))
    return float(weights(tokens, query, w) @ y)


def bias_and_noise(
    tasks: TaskClass, tokens: ArrayLike, query: ArrayLike, w: float, noise: float = 0.0
) -> tuple[float, float]:
    """The squared error on one prompt, averaged over tasks, and that of label noise of variance
    ``noise``; tokens and query lie on the unit sphere. With the correlation rho of the class, the
    bias is ``sum_ij g_i g_j rho(x_i'x_j) - 2 sum_i g_i rho(x_i'x) + rho(1)`` and the noise
    ``sigma^2 sum_i g_i^2``, for the weights g. `numerics.window_loss` is their mean over prompts.
    """
    x, z, variance = read_arrays(tokens=(tokens, "n d"), query=(query, "d"), noise=(noise, ""))
    off = np.abs(np.linalg.norm([*x, z], axis=1) - 1).max()
    if off > 1e-9:
        raise ValueError(f"tokens and query are off the unit sphere by {off:.2g}; divide each by its length")
    if variance < 0:
        raise ValueError(f"noise = {noise} is no variance; give sigma^2, a number that is not negative")
    g, d = weights(x, z, w), x.shape[1]
    among, near = tasks.rho(np.clip(x @ x.T, -1, 1), d), tasks.rho(np.clip(x @ z, -1, 1), d)
    return float(g @ among @ g - 2 * g @ near + tasks.rho(1.0, d)), float(variance * (g @ g))
