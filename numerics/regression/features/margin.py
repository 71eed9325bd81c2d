"""The margin that decides how fast the loss falls at late times (our R11), with its dual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays
from theory.inputs.kinds import check_kind
from theory.shown.result import in_a_line, in_a_table

__all__ = ["AttentionMargin", "attention_margin"]

Floats = NDArray[np.float64]
#: A margin below this share of the largest |v_k - v_m| |v_k| counts as 0.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class AttentionMargin:
    """A margin, the direction that reaches it, and how far it may be from the best."""

    #: The least ``(v_k - v_m)' Q v_k`` over all pairs for this Q: a lower bound of the margin.
    value: float
    #: An upper bound of the margin less ``value``, at least 0 up to rounding.
    gap: float
    #: The direction, of Frobenius norm 1.
    Q: Floats
    #: The pairs (k, m), counted from 0, that carry the dual weights.
    support: NDArray[np.int64]

    __repr__ = in_a_line
    _repr_html_ = in_a_table


def attention_margin(features: ArrayLike, *, same_elsewhere: bool = False) -> AttentionMargin:
    """The largest margin by which one matrix Q of Frobenius norm 1 can prefer the own class of
    every query: ``gamma = max_Q min_{k != m} (v_k - v_m)' Q v_k``.

    Parameters
    ----------
    features : array_like of shape (d, K)
        The features as columns, K at least 2.
    same_elsewhere : bool
        Whether Q must give a query equal scores on all other classes, ``(v_m - v_n)' Q v_k = 0``
        for m, n other than k. This is gamma_c, which decides late times where prompts are finite.

    Returns
    -------
    AttentionMargin

    Raises
    ------
    TypeError, ValueError
        If the features are no real matrix, or K is 1.
    ValueError
        If the margin is 0: then no training brings every attention to 1. The message names a class
        whose feature lies in the hull of others, if that is why.

    Notes
    -----
    By duality gamma is the distance of 0 from the hull of the matrices ``(v_k - v_m) v_k'``, which
    a nonnegative least-squares problem finds.

    Examples
    --------
    >>> round(attention_margin(np.eye(5)).value, 12)
    0.5
    """
    check_kind(bool, same_elsewhere=same_elsewhere)
    (V,) = read_arrays(features=(features, "d K"))
    d, K = V.shape
    if K == 1:
        raise ValueError("there is one feature, and a margin is between two; pass at least two columns")
    pairs = np.array([(k, m) for k in range(K) for m in range(K) if m != k])
    k, m = pairs.T
    scale = float(abs(V).max()) or 1.0
    if not 1e-150 < scale < 1e150:
        raise ValueError(
            f"the features have entries of size {scale:.3g}, whose square is no float; choose other units"
        )
    V = V / scale  # the least-squares problem weighs the matrices against 1
    rows = ((V[:, k] - V[:, m])[:, None, :] * V[:, k]).reshape(d * d, -1).T
    size = float(np.linalg.norm(rows, axis=1).max())
    if same_elsewhere:
        rows = rows @ _equal_elsewhere(V)
    from scipy.optimize import nnls

    system = np.vstack([rows.T, np.ones(len(rows))])
    weights = nnls(system, np.eye(d * d + 1)[-1], maxiter=100 * len(rows))[0]
    weights /= weights.sum()
    shortest = weights @ rows
    upper = float(np.linalg.norm(shortest))
    if upper <= ROUNDING * size:
        raise ValueError(_no_margin(weights, pairs, K, same_elsewhere))
    Q = shortest / upper
    value = float((rows @ Q).min())
    return AttentionMargin(value * scale**2, (upper - value) * scale**2, Q.reshape(d, d), pairs[weights > 0])


def _equal_elsewhere(V: Floats) -> Floats:
    """The projector of flattened matrices Q onto those with ``(v_m - v_n)' Q v_k = 0`` for all m, n
    other than k.
    """
    d, K = V.shape
    rows = []
    for k in range(K):
        others = [m for m in range(K) if m != k]
        rows += [np.outer(V[:, m] - V[:, others[0]], V[:, k]).ravel() for m in others[1:]]
    if not rows:
        return np.eye(d * d)
    _, sizes, basis = np.linalg.svd(np.array(rows), full_matrices=False)
    kept = basis[sizes > 1e-12 * max(float(sizes[0]), 1e-300)]
    return np.asarray(np.eye(d * d) - kept.T @ kept)


def _no_margin(weights: Floats, pairs: NDArray[np.int64], K: int, same_elsewhere: bool) -> str:
    """What the error says where the margin is 0."""
    if same_elsewhere:
        return (
            "gamma_c is 0: no Q prefers every own class and treats all other classes alike; the loss need "
            "not reach its floor"
        )
    share = np.array([weights[pairs[:, 0] == k].sum() for k in range(K)])
    k = int(share.argmax())
    hull = [int(m) + 1 for (own, m), x in zip(pairs, weights) if own == k and x > 1e-9]
    if share[k] > 1 - 1e-9:
        inside = f"v_{k + 1} lies in the convex hull of {', '.join(f'v_{m}' for m in hull)}, or is 0"
    else:
        inside = (
            "no single feature lies in the hull of others, but a combination of several comparisons vanishes"
        )
    return f"the margin is 0: {inside}; no training brings every attention to 1, so change the features"
