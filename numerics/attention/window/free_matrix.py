"""The least ICL loss over all matrices M, without assuming its form: Lemma B.5 and Theorem 4.4 of
Collins et al. tested by minimisation. The average over tasks and label noise is exact, as the loss
sees tasks through E f(x)f(y) alone; that over prompts is a finite sum, over all prompts of a law on
few points or over prompts that were drawn once and serve every M.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from theory.attention.window.low_rank import blocks

__all__ = [
    "Minimum",
    "Prompts",
    "drawn_prompts",
    "every_prompt",
    "free_minimum",
    "interval_of_structure",
    "loss_and_gradient",
    "low_rank_prompts",
]

Floats = NDArray[np.float64]
Kernel = Callable[[Floats, Floats], Floats]
#: Steps of the descent, and the length of a projected gradient at which it stops.
_STEPS, _TOLERANCE = 3000, 1e-9
#: Share of a first-order decrease that a step has to reach, over the largest of the last losses.
_DECREASE, _MEMORY = 1e-4, 8


@dataclass(frozen=True)
class Prompts:
    """Prompts (on the first axis), their probabilities, and what the loss needs of the tasks."""

    tokens: Floats
    query: Floats
    #: E f(x_i)f(x_j), (prompts, n, n).
    gram: Floats
    #: E f(x_i)f(x_{n+1}), (prompts, n).
    cross: Floats
    #: E f(x_{n+1})^2.
    square: Floats
    #: Probabilities, of sum 1.
    weight: Floats


def _prompts(tokens: Floats, query: Floats, weight: Floats, kernel: Kernel) -> Prompts:
    gram = kernel(tokens[:, :, None, :], tokens[:, None, :, :])
    if not gram.any():
        raise ValueError(
            "E f(x)f(y) vanishes for every pair: L = 0, and every M has the same loss; give tasks with L > 0"
        )
    return Prompts(tokens, query, gram, kernel(tokens, query[:, None, :]), kernel(query, query), weight)


def every_prompt(
    points: Floats, n: int, kernel: Kernel, *, probability: Floats | None = None, queries: int | None = None
) -> Prompts:
    """All prompts of n tokens of a law on few points (m, d), up to their order; the kernel maps
    arrays x, y (..., d) to E f(x)f(y). Only the first ``queries`` points are queries, where a
    symmetry of the law and of every M in question takes each point to one of them.
    """
    p = np.full(len(points), 1 / len(points)) if probability is None else probability
    chosen = list(combinations_with_replacement(range(len(points)), n))
    ways = [factorial(n) / prod(factorial(c) for c in Counter(t).values()) for t in chosen]
    index = np.array(chosen)
    of_tokens = np.array(ways) * p[index].prod(axis=1)
    asked = np.arange(len(points) if queries is None else queries)
    rows, cols = np.repeat(np.arange(len(index)), len(asked)), np.tile(asked, len(index))
    weight = of_tokens[rows] * p[cols]
    return _prompts(points[index[rows]], points[cols], weight / weight.sum(), kernel)


def drawn_prompts(draw: Callable[[int], Floats], n: int, prompts: int, kernel: Kernel) -> Prompts:
    """Prompts that are drawn once, so that losses at different M have common random numbers;
    ``draw`` maps a number to so many covariates, shape (number, d).
    """
    x = draw(prompts * (n + 1)).reshape(prompts, n + 1, -1)
    return _prompts(x[:, :n], x[:, n], np.full(prompts, 1 / prompts), kernel)


def low_rank_prompts(
    n: int, k: int, d: int, *, nodes: int = 12, prompts: int = 0, rng: np.random.Generator | None = None
) -> Prompts:
    """Prompts of Assumption 4.3 with B the first k unit vectors and c_u = c_v = 1, to which the
    blocks of `theory.attention.window.low_rank.score_blocks` reduce all other scales but c_v = 0.
    Where k or d - k is 2 a circle has ``nodes`` equally spaced points, which integrate
    trigonometric polynomials of lower degree exactly; ``prompts = 0`` means all prompts of the
    points.
    """
    if not 1 <= k < d:
        raise ValueError(f"k = {k} and d = {d} leave no spurious direction; Section 4 needs 1 <= k < d")
    kernel = lambda x, y: (x[..., :k] * y[..., :k]).sum(-1) / k
    if prompts:
        generator = np.random.default_rng(0) if rng is None else rng
        return drawn_prompts(
            lambda m: np.hstack([_uniform(generator, m, s) for s in (k, d - k)]), n, prompts, kernel
        )
    if max(k, d - k) > 2:
        raise ValueError(
            f"a sphere of R^{max(k, d - k)} has no few points that integrate exactly; give prompts= to draw "
            "them"
        )
    first, second = (_sphere(s, nodes) for s in (k, d - k))
    points = np.array([[*u, *v] for u in first for v in second])
    return every_prompt(points, n, kernel)


def _uniform(rng: np.random.Generator, size: int, d: int) -> Floats:
    z = rng.standard_normal((size, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True)


def _sphere(d: int, nodes: int) -> Floats:
    if d == 1:
        return np.array([[1.0], [-1.0]])
    angle = 2 * np.pi * np.arange(nodes) / nodes
    return np.column_stack([np.cos(angle), np.sin(angle)])


def loss_and_gradient(M: Floats, prompts: Prompts, sigma: float) -> tuple[float, Floats]:
    """The ICL loss at M (d, d), with scores x_i'M x_{n+1} and label noise of standard deviation
    sigma, and its gradient in M.
    """
    p = prompts
    scores = np.einsum("sid,sd->si", p.tokens, p.query @ M.T)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    averaged = np.einsum("sij,sj->si", p.gram, weights)
    loss = (weights * (averaged - 2 * p.cross + sigma**2 * weights)).sum(axis=1) + p.square
    slope = 2 * (averaged - p.cross + sigma**2 * weights)
    of_scores = p.weight[:, None] * weights * (slope - (weights * slope).sum(axis=1, keepdims=True))
    return float(p.weight @ loss), np.einsum("sid,se->de", of_scores[..., None] * p.tokens, p.query)


@dataclass(frozen=True)
class Minimum:
    M: Floats
    loss: float
    #: Length of the projected gradient step.
    stationarity: float

    def off_structure(self, B: Floats) -> float:
        """The distance of M from the multiples of BB', over the norm of M."""
        c = np.trace(B.T @ self.M @ B) / B.shape[1]
        return float(np.linalg.norm(self.M - c * B @ B.T) / np.linalg.norm(self.M))

    def off_identity(self) -> float:
        """The distance of M from the multiples of the identity, over the norm of M."""
        c = np.trace(self.M) / len(self.M)
        return float(np.linalg.norm(self.M - c * np.eye(len(self.M))) / np.linalg.norm(self.M))


def free_minimum(
    prompts: Prompts,
    sigma: float,
    start: Floats,
    *,
    symmetric: bool = True,
    B: Floats | None = None,
    bound: float = np.inf,
) -> Minimum:
    """Minimise the loss from one start over M, symmetric as Theorem 4.4 has it, with ‖B'MB‖ at most
    a bound: the C_p/c_u^2 of Theorem H.5, for B (d, k) with orthonormal columns. By spectral
    projected gradients with a nonmonotone line search (Birgin, Martinez & Raydan).
    """
    if np.isfinite(bound) and (B is None or not symmetric):
        raise ValueError(
            "a bound on ‖B'MB‖ needs B, and symmetric matrices as in Theorem 4.4; give B= and leave "
            "symmetric=True"
        )
    d = prompts.query.shape[1]
    if np.shape(start) != (d, d):
        raise ValueError(
            f"the start has the shape {np.shape(start)}, but M is square with d = {d}; give a matrix of "
            "that shape"
        )
    if not (np.isfinite(sigma) and sigma >= 0):
        raise ValueError(f"sigma = {sigma} is no standard deviation of label noise; give a number >= 0")
    basis = None
    if B is not None and np.isfinite(bound):
        blocks(np.eye(d), B)  # refuses columns that are not orthonormal, and k >= d
        basis = np.hstack([B, np.linalg.svd(B, full_matrices=True)[0][:, B.shape[1] :]])

    def projected(M: Floats) -> Floats:
        M = (M + M.T) / 2 if symmetric else M
        if basis is None or B is None:
            return M
        k, turned = B.shape[1], basis.T @ M @ basis
        values, vectors = np.linalg.eigh(turned[:k, :k])
        turned[:k, :k] = (vectors * np.clip(values, -bound, bound)) @ vectors.T
        return basis @ turned @ basis.T

    M = projected(np.asarray(start, dtype=float))
    loss, gradient = loss_and_gradient(M, prompts, sigma)
    last, step, away = [loss], 1.0, np.inf
    for _ in range(_STEPS):
        away = float(np.linalg.norm(projected(M - gradient) - M))
        if away < _TOLERANCE:
            break
        direction = projected(M - step * gradient) - M
        slope, length = float((gradient * direction).sum()), 1.0
        while True:
            new = M + length * direction
            new_loss, new_gradient = loss_and_gradient(new, prompts, sigma)
            if new_loss <= max(last) + _DECREASE * length * slope or length < 1e-12:
                break
            length /= 2
        moved, turned = new - M, new_gradient - gradient
        curvature = float((moved * turned).sum())
        step = float(np.clip((moved**2).sum() / curvature, 1e-6, 1e4)) if curvature > 0 else 1e4
        M, loss, gradient = new, new_loss, new_gradient
        last = [*last[-_MEMORY + 1 :], loss]
    return Minimum(M, loss, away)


def interval_of_structure(found: list[Floats], B: Floats) -> tuple[float, float]:
    """The distance of a mean minimiser, of at least two independent sets of prompts, from the
    multiples of BB', and its standard error; both over the norm of the mean. Without any deviation
    the distance is of the size of its error.
    """
    off = [M - np.trace(B.T @ M @ B) / B.shape[1] * B @ B.T for M in found]
    mean = np.mean(found, axis=0)
    error = sqrt(np.var(off, axis=0, ddof=1).sum() / len(found))
    norm = float(np.linalg.norm(mean))
    return float(np.linalg.norm(np.mean(off, axis=0))) / norm, error / norm
