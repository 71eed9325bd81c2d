"""Free minimisation of the ICL loss over matrices, from several starts, as claims and tests use
it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from numerics.attention.window.free_matrix import (
    Kernel,
    Minimum,
    Prompts,
    every_prompt,
    free_minimum,
    low_rank_prompts,
)

__all__ = [
    "NOISES",
    "affine_kernel",
    "circle_prompts",
    "constant_kernel",
    "exponential_kernel",
    "least_general",
    "least_low_rank",
]

NOISES = (0.3, 1.0, 3.0)
#: Sizes of the random starts; a large one may run away to infinity, where the loss is larger.
_SIZES = (0.0, 0.3, 1.0)


@lru_cache(maxsize=64)
def _low_rank(n: int, k: int, d: int) -> Prompts:
    return low_rank_prompts(n, k, d, nodes=10)


@lru_cache(maxsize=256)
def least_low_rank(n: int, k: int, d: int, sigma: float, bound: float) -> Minimum:
    """The best of several descents over symmetric M with ‖B'MB‖ at most a bound, where B holds the
    first k unit vectors and c_u = c_v = 1.
    """
    B, rng = np.eye(d)[:, :k], np.random.default_rng(n)
    starts = [size * rng.standard_normal((d, d)) for size in _SIZES]
    return min(
        (free_minimum(_low_rank(n, k, d), sigma, M, B=B, bound=bound) for M in starts), key=lambda m: m.loss
    )


def affine_kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """E f(x)f(y) of the affine class with L = 1 on the circle."""
    return 1 / 3 + (x * y).sum(-1) / 6


def constant_kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """E f(x)f(y) = 1, of constant tasks."""
    return np.ones_like((x * y).sum(-1))


def exponential_kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """E f(x)f(y) = e^{x'y}, with harmonics of every degree."""
    return np.exp((x * y).sum(-1))


@lru_cache(maxsize=16)
def circle_prompts(n: int, kernel: Kernel) -> Prompts:
    """All prompts of equally spaced points of the circle, more than the windows in question see."""
    angle = 2 * np.pi * np.arange(16) / 16
    return every_prompt(np.column_stack([np.cos(angle), np.sin(angle)]), n, kernel)


@lru_cache(maxsize=64)
def least_general(n: int, kernel: Kernel, sigma: float) -> Minimum:
    """The best of several descents over all M on the circle, symmetric or not."""
    rng, prompts = np.random.default_rng(n), circle_prompts(n, kernel)
    starts = [np.eye(2) + size * rng.standard_normal((2, 2)) for size in _SIZES[1:]]
    starts.append(np.array([[0.0, -1.0], [1.0, 0.0]]))
    return min((free_minimum(prompts, sigma, M, symmetric=False) for M in starts), key=lambda m: m.loss)
