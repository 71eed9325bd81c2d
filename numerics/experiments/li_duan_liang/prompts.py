"""The prompts of Section 6 and Appendix A of Li, Duan & Liang: cosines of finitely many features,
and random polynomials of Gaussian tokens.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Prompts", "cosine_prompts", "polynomial_prompts"]

Floats = NDArray[np.floating]


class Prompts(NamedTuple):
    """M prompts of n distinct tokens each."""

    #: Tokens.
    x: Floats
    #: Their labels.
    y: Floats
    #: How often each token occurs in its prompt.
    counts: Floats
    #: Shape (M, d).
    query: Floats
    #: The label of the query.
    target: Floats
    #: Which of the tokens the query is, -1 if it is none of them.
    classes: NDArray[np.int64]


def cosine_prompts(
    L: float,
    *,
    c: float = 0.5,
    K: int = 4,
    d: int = 15,
    N: int = 100,
    M: int = 300,
    Delta: float = 3.0,
    seed: int = 0,
) -> Prompts:
    r"""Prompts whose tokens are K features, uniformly drawn, with labels $\frac Lc\cos(c\,g'x)$
    (Li, Duan & Liang, arXiv:2507.20443, Section 6). Any two of the K features in R^d have the
    distance Delta: they are orthogonal, of norm ``Delta / sqrt(2)``. There are M prompts of N
    tokens.
    """
    # The paper says that c is "a random constant" and that it is 0.5, and multiplies it by a
    # vector. Here every prompt has a standard normal vector g, and the Lipschitz constant of its
    # task is ``L |g|``: with c alone fixed, all prompts would have one task. With a unit vector in
    # place of g, all labels are nearly ``L/c``, and there is little to learn.
    if not 2 <= K <= d:
        raise ValueError(f"K = {K} orthogonal features do not fit into d = {d} dimensions; pass 2 <= K <= d")
    _check(N=(N, 1), M=(M, 1))
    for name, value in {"L": L, "c": c, "Delta": Delta}.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} = {value} is not positive; pass a positive number")
    rng = np.random.default_rng(seed)
    features = Delta / np.sqrt(2) * np.eye(K, d)
    y = L / c * np.cos(c * rng.normal(size=(M, d)) @ features.T)
    counts, k = rng.multinomial(N, np.full(K, 1 / K), size=M).astype(float), rng.integers(K, size=M)
    return Prompts(np.broadcast_to(features, (M, K, d)), y, counts, features[k], y[np.arange(M), k], k)


def polynomial_prompts(L: float, *, d: int = 30, N: int = 150, M: int = 500, seed: int = 0) -> Prompts:
    """M prompts of N standard Gaussian tokens in R^d with labels $x'Ax+b'x$, entries of A and b of
    variance $(L/d)^2$, in single precision (Li, Duan & Liang, arXiv:2507.20443, Appendix A). The
    query is one more token.
    """
    _check(d=(d, 1), N=(N, 1), M=(M, 1))
    if not 0 < L < np.inf:
        raise ValueError(f"L = {L} is not positive; pass a positive number")
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((M, N + 1, d), dtype=np.float32)
    A, b = rng.standard_normal((M, d, d), dtype=np.float32), rng.standard_normal((M, d), dtype=np.float32)
    y = np.float32(L / d) * (np.einsum("mid,mid->mi", x @ A, x) + np.einsum("mid,md->mi", x, b))
    ones = np.ones((M, N), np.float32)
    return Prompts(np.ascontiguousarray(x[:, :N]), y[:, :N], ones, x[:, N].copy(), y[:, N], np.full(M, -1))


def _check(**numbers: tuple[int, int]) -> None:
    for name, (value, least) in numbers.items():
        if value < least:
            raise ValueError(f"{name} = {value} is less than {least}; pass at least {least}")
