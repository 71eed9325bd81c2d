"""Sampler of the squared errors of softmax attention that draws the scores alone, and averages
exactly over the rest of the prompt.

Let tokens be A g with g normal, or uniform on a sphere or in a ball: the law of g is the same in
every direction. Along the unit vector e = AᵀUz/|AᵀUz| a token carries its score. Given the scores,
the rest of g is independent over the tokens and symmetric about e, so that the errors of output and
gradients have conditional means in closed form. They cost one or two random numbers and one
exponential for each token in every dimension d, and vary less from prompt to prompt than the errors
themselves (Rao–Blackwell). Other laws have no such direction: for a product law only those
coordinates are independent of the scores that no query weighs, and every token has to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from numerics.attention.sampled.all_tokens import rotation

__all__ = ["CONDITIONED", "ScoreSampler", "prepare"]

Floats = NDArray[np.float64]
#: Kinds of coordinates (`TokenLaw.coordinates`) for which the conditional means are known.
CONDITIONED = ("normal", "sphere", "ball")
#: Number of terms of the expansion of I_{n/2} / I_{n/2 - 1} at infinity.
TERMS = 16


@dataclass(frozen=True, eq=False)
class ScoreSampler:
    """Conditional means of the squared errors given the scores, for one problem; made by `prepare`.
    The model is what the kernel is told besides replicates, length and seed.
    """

    model: tuple[object, ...]

    def values(self, L: int, first: int, count: int, key: tuple[np.uint32, np.uint32]) -> Floats:
        """The conditional means (3, count) of output, gradient in V and gradient in U, of
        replicates ``first`` to ``first + count - 1`` at length L. Replicate r is a function of
        (key, r, L), bit for bit, however the range is cut; its stream is none of those that the
        kernel of whole tokens reads.
        """
        from numerics.attention.sampled.kernels.scores_only import score_kernel

        out = np.empty((3, count))
        score_kernel()(first, L, key, *self.model, out)
        return out


def prepare(
    coordinates: object, factor: Floats, U: Floats, V: Floats, mean: Floats, root: Floats
) -> ScoreSampler:
    """A sampler with the arguments of the kernel prepared, from arrays that have been checked, for
    coordinates of `CONDITIONED`. The factor is A (d, r) of the tokens A g, g in R^r: standard
    normal, uniform on the sphere of radius √r, or in the ball of radius √(r + 2). Queries have the
    mean, and the covariance F Fᵀ of the root F (d, k); k = 0 for a fixed query.
    """
    if coordinates not in CONDITIONED:
        raise ValueError(
            'method = "scores" averages exactly over all but the scores, which is possible for Gaussian '
            "tokens and for linear images of the uniform laws on sphere and ball only; use "
            'method = "tokens"'
        )
    # A point of the ball of R^r is the projection of one on the sphere of R^{r+2} of the same
    # radius.
    n = {"normal": 0, "sphere": factor.shape[1], "ball": factor.shape[1] + 2}[coordinates]
    turn = rotation(factor)
    A = factor @ turn
    order = np.argsort(-np.linalg.norm(A, axis=0), kind="stable")
    kept = order[A[:, order].any(axis=0) | (np.arange(order.size) == 0)]
    A, turn = A[:, kept], turn[:, kept]
    B = V @ factor @ turn
    if B.shape[0] > B.shape[1]:
        B = np.linalg.qr(B)[1]
    variances = (A**2).sum(axis=0)
    squares = (B**2).sum(axis=0)
    traces = np.array([variances.sum(), squares.sum(), variances @ squares])
    scores = turn.T @ (factor.T @ U)
    arrays = (scores @ mean, scores @ root, mean, root, variances, B)
    # Copies: the kernel is compiled anew for every other layout, and for arrays that may not be
    # written to.
    b, W, query, spread, variances, B = (np.array(array, dtype=np.float64, order="C") for array in arrays)
    return ScoreSampler((n, b, W, query, spread, variances, B, V.shape[0], traces, _expansion(max(n, 1))))


def _expansion(n: int) -> Floats:
    """The coefficients c_k of I_{n/2}(x) / I_{n/2−1}(x) ~ Σ c_k x^{−k}, from the differential
    equation A′ = 1 − A² − (n − 1) A/x.
    """
    c = [1.0]
    for k in range(TERMS):
        c.append(((k - n + 1) * c[k] - sum(c[i] * c[k + 1 - i] for i in range(1, k + 1))) / 2)
    return np.array(c)
