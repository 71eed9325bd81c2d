"""The errors of softmax attention on few tokens that take few values, as sums over all prompts, for
scores of any size. Where one token has nearly all the weight, the means that
`exact.any_law` integrates are differences of far larger numbers. In a sum over prompts
each error is small by itself: differences are taken from the token of the largest score, so that
mean and covariance of the prompt lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.enumeration import compositions, multinomial

__all__ = ["are_few", "short_prompt_errors"]

Floats = NDArray[np.float64]
#: Longest prompt, most vectors of counts, and most entries held in memory at once.
LONGEST_PROMPT, MOST_PROMPTS, ENTRIES_AT_ONCE = 64, 20_000, 2_000_000
#: Relative rounding error of a sum of a few numbers.
ROUNDING = 1e-15


def are_few(k: int, d: int, L: float) -> bool:
    """Whether prompts of L tokens on k points of R^d are so few that they can be summed over."""
    return L <= LONGEST_PROMPT and math.comb(int(L) + k - 1, k - 1) <= min(
        MOST_PROMPTS, ENTRIES_AT_ONCE // ((k + d) * d)
    )


def short_prompt_errors(
    y: Floats, weights: Floats, b: Floats, H: Floats, matrices: Sequence[Floats], towards: Floats, L: int
) -> tuple[dict[str, float], dict[str, float]]:
    """The errors at one length as sums over all prompts, with bounds on their rounding errors: the
    fields of `exact.any_law`. y (k, d) are the points less their mean under the law
    tilted by the scores y @ b, H the covariance under that law; the matrices are W first, then the
    X, and ``towards`` is V' times a unit vector, where W = V'V.

    Values are ``"mean i"`` for E (m - h)'M(m - h), m the softmax mean of a prompt and M the first
    two matrices, ``"bias"`` for that of the mean of m - h, ``"along"`` for the product of that mean
    with ``towards``, ``"covariance i"`` for ``E |W^{1/2} (C - H) X^{1/2}|^2``, C the softmax
    covariance, and ``"weights"`` for E sum p^2, which has no error.
    """
    counts, score = compositions(L, len(y)), y @ b
    p = multinomial(counts, weights)
    top = np.where(counts > 0, score, -np.inf).argmax(axis=1)
    q = counts * np.exp(np.minimum(score - score[top][:, None], 0.0))
    q = q / q.sum(axis=1, keepdims=True)
    pairs = y - y[:, None]  # [i, j] = y_j - y_i
    away = pairs[top]
    shift = (q[:, None, :] @ away)[:, 0]
    mean = y[top] + shift
    D = np.swapaxes(away, -1, -2) @ (q[..., None] * away) - shift[..., None] * shift[:, None, :] - H
    of_q = ROUNDING * (1 + float((np.abs(y) @ np.abs(b)).max()))
    of_p = ROUNDING * (1 + math.lgamma(L + 1) + L * float(np.abs(np.log(weights)).max()))
    values = {"weights": float(p @ (q * q / np.maximum(counts, 1)).sum(axis=1))}
    errors = {}
    size = [np.einsum("...i,ij,...j->...", pairs, M, pairs) for M in matrices]
    for i, M in enumerate(matrices[:2]):
        square = np.maximum(((mean @ M) * mean).sum(axis=1), 0.0)
        left = np.sqrt(np.maximum(((y @ M) * y).sum(axis=1), 0.0))[top]
        off = of_q * (left + np.sqrt(np.maximum((q * size[i][top]).sum(axis=1), 0.0)))
        values[f"mean {i}"] = float(p @ square)
        errors[f"mean {i}"] = float(p @ ((2 * np.sqrt(square) + off) * off + of_p * square))
        if not i:
            bias = p @ mean
            values["bias"], off_bias = float(bias @ M @ bias), float(p @ (off + of_p * np.sqrt(square)))
            values["along"], errors["along"] = float(bias @ towards), off_bias
            errors["bias"] = (2 * math.sqrt(max(values["bias"], 0.0)) + off_bias) * off_bias
    W = matrices[0]
    for i, X in enumerate(matrices[1:], 1):
        each, whole = (np.sqrt(np.maximum(((W @ S @ X) * S).sum(axis=(-2, -1)), 0.0)) for S in (D, H))
        terms = (q * np.sqrt(np.maximum(size[0] * size[i], 0.0))[top]).sum(axis=1)
        off = of_q * (2 * terms + whole)
        values[f"covariance {i}"] = float(p @ each**2)
        errors[f"covariance {i}"] = float(p @ ((2 * each + off) * off + of_p * each**2))
    return values, errors
