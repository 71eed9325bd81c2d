r"""Section 4 and Appendix H of Collins et al.: covariates x = c_u B u + c_v B_perp v with u, v
uniform on spheres, tasks f(x) = a'B'x that see B'x only, and the expressions with which Lemmas H.3
and H.4 show that attention to B_perp'x costs something.

For k = 1, where u and every u_i are signs, the two parts of the loss are finite sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Blocks",
    "blocks",
    "d_ab",
    "gamma_ab",
    "h_ab",
    "noise_of_signs",
    "polynomial_66",
    "score_blocks",
    "signal_of_signs",
]

Floats = NDArray[np.float64]
#: Largest entry of B'B - I, and of M - M' relative to M, that counts as rounding.
_ROUNDING = 1e-8


@dataclass(frozen=True)
class Blocks:
    """A symmetric matrix M in the basis (B, B_perp)."""

    #: B'MB (k, k), of which the score sees c_u^2 times.
    inside: Floats
    #: B'M B_perp (k, d - k).
    across: Floats
    #: B_perp'M B_perp (d - k, d - k).
    outside: Floats


def blocks(M: ArrayLike, B: ArrayLike) -> Blocks:
    """The blocks of a symmetric M (d, d) in the basis (B, B_perp) with orthonormal columns, B of
    shape (d, k), for some B_perp of the complement (Collins et al., Theorem 4.4 and Lemma H.2).
    """
    m, b = np.asarray(M, dtype=float), np.asarray(B, dtype=float)
    if m.ndim != 2 or m.shape[0] != m.shape[1]:
        raise ValueError(
            f"M has the shape {m.shape}, but attention scores x_i'Mx need a square one; give M = M_K'M_Q"
        )
    if not np.isfinite(m).all() or np.abs(m - m.T).max() > _ROUNDING * np.abs(m).max():
        raise ValueError(
            "M is not symmetric, and Theorem 4.4 minimises over M = M' only; give (M + M')/2 for its "
            "symmetric part"
        )
    if b.ndim != 2 or b.shape[0] != m.shape[0]:
        raise ValueError(
            f"B has the shape {b.shape}, which does not fit d = {m.shape[0]}; its columns are vectors of R^d"
        )
    d, k = b.shape
    if not 1 <= k < d:
        raise ValueError(
            f"B has k = {k} columns in R^{d}, so that no direction is spurious; Section 4 needs 1 <= k < d"
        )
    if not np.abs(b.T @ b - np.eye(k)).max() <= _ROUNDING:
        raise ValueError(
            "the columns of B are not orthonormal, as Definition 4.2 has them; take numpy.linalg.qr(B)[0]"
        )
    perp = np.linalg.svd(b, full_matrices=True)[0][:, k:]
    return Blocks(b.T @ m @ b, b.T @ m @ perp, perp.T @ m @ perp)


def score_blocks(M: ArrayLike, B: ArrayLike, c_u: float, c_v: float) -> Blocks:
    """What the scores see of M under Assumption 4.3: (c_u^2 B'MB, c_u c_v B'M B_perp, c_v^2
    B_perp'M B_perp). With these blocks A, N, D the score of the i-th token is u_i'(Au + Nv) +
    v_i'(N'u + Dv), so that the loss depends on c_u and c_v through the blocks, and on sigma/|c_u|
    alone.
    """
    if not (np.isfinite(c_u) and np.isfinite(c_v)):
        raise ValueError(
            f"c_u = {c_u} and c_v = {c_v} are not finite; Assumption 4.3 has fixed constants, give numbers"
        )
    if c_u == 0:
        raise ValueError("c_u = 0, so that no label depends on the covariates; Assumption 4.3 needs c_u != 0")
    found = blocks(M, B)
    return Blocks(c_u**2 * found.inside, c_u * c_v * found.across, c_v**2 * found.outside)


def signal_of_signs(alpha: Sequence[Any], y: Any) -> Any:
    """H_signal of (40) for k = 1: the mean of (sum_i gamma_i u_i - u)^2 over signs u_i, for
    positive weights alpha_i of the tokens and ``y = e^c`` with the inverse temperature c of Lemma
    H.3.
    """
    return sum(sum(w * (s - 1) for w, s in zip(ws, ss)) ** 2 for ws, ss in _weighted(alpha, y)) * sp.Rational(
        1, 2 ** len(alpha)
    )


def noise_of_signs(alpha: Sequence[Any], y: Any) -> Any:
    """H_noise of Lemma H.4 for k = 1 and any n: the mean of sum_i gamma_i^2 over signs u_i, in the
    letters of `signal_of_signs`.
    """
    return sum(sum(w**2 for w in ws) for ws, _ in _weighted(alpha, y)) * sp.Rational(1, 2 ** len(alpha))


def _weighted(alpha: Sequence[Any], y: Any) -> list[tuple[list[Any], tuple[int, ...]]]:
    """The softmax weights of the tokens for each choice of signs, with u = 1."""
    exact = [sp.sympify(a) for a in alpha]
    out = []
    for signs in product((1, -1), repeat=len(exact)):
        scores = [a * sp.sympify(y) ** s for a, s in zip(exact, signs)]
        out.append(([e / sum(scores) for e in scores], signs))
    return out


def gamma_ab(a: Any, b: Any) -> Any:
    """gamma_{a,b} = 1 - ab + a - b of Lemma H.3."""
    return 1 - a * b + a - b


def d_ab(p: Any, q: Any, first: Any, other: Any, rest: Any = 0) -> Any:
    """d_{a,b} of (49), with p = e^{ca}, q = e^{cb}, and the sum `rest` over the other tokens."""
    return p * first + q * other + rest


def h_ab(p: Any, q: Any, first: Any, second: Any) -> Any:
    """h_{a,b} of Lemma H.4, where p = e^{ca} and q = e^{cb}."""
    return p * q * (p * first - q * second) / d_ab(p, q, first, second) ** 3


def polynomial_66(alpha: sp.Expr, y: sp.Expr) -> sp.Expr:
    """The right side of (66), of degree six in y = e^{c(a-b)}, from the P of (65) at alpha_1 = 1
    and alpha_2 = alpha.
    """
    p, q = y, sp.S.One  # P is homogeneous: e^{ca} = y e^{cb}
    ab, ba = d_ab(p, q, 1, alpha), d_ab(q, p, 1, alpha)
    P = (p - q * alpha) * ba**3 * (1 + alpha) ** 3 + (q - p * alpha) * ab**3 * (1 + alpha) ** 3
    P += ab**3 * ba**3 * (1 - alpha) / (p * q)
    return sp.expand(sp.cancel(P * y / (1 - alpha)))
