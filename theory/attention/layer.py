"""Softmax and linear attention of a prompt, the limit of softmax attention for infinitely many
Gaussian tokens, and the gradients of the output (Boursier & Boyer, Sections 2 and 3), with
``U = K'Q``.

The first axis of a gradient is the output's component; that of component i by U is ``C_L v_i z'``,
with the i-th row ``v_i`` of V and the covariance ``C_L`` of the tokens under the softmax weights
(an outer product, where Appendix C.7 prints a scalar).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays
from theory.inputs.overflow import within_floats

__all__ = [
    "gaussian_output",
    "grad_K",
    "grad_Q",
    "grad_U",
    "grad_V",
    "linear_attention",
    "softmax_attention",
    "softmax_weights",
]

Floats = NDArray[np.float64]


def softmax_weights(scores: ArrayLike) -> Floats:
    """The softmax of one row of finite scores of any size: the largest is subtracted first."""
    (x,) = read_arrays(scores=(scores, "L"))
    with np.errstate(under="ignore", over="ignore"):  # scores of opposite sign near 1e308 differ by inf
        w = np.exp(x - x.max())
    return np.asarray(w / w.sum())


def _read(prompt: ArrayLike, query: ArrayLike, U: ArrayLike, V: ArrayLike) -> tuple[Floats, ...]:
    return read_arrays(prompt=(prompt, "L d"), query=(query, "d"), U=(U, "d d"), V=(V, "d_out d"))


def _scores(prompt: Floats, query: Floats, U: Floats) -> Floats:
    """The scores z_k'Uz of the tokens."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = prompt @ (U @ query)
    if not np.isfinite(scores).all():
        raise ValueError(
            f"the scores z_k'Uz overflow (largest entries: U {abs(U).max():.3g}, query "
            f"{abs(query).max():.3g}); rescale"
        )
    return np.asarray(scores)


@within_floats("the output")
def softmax_attention(prompt: ArrayLike, query: ArrayLike, U: ArrayLike, V: ArrayLike) -> Floats:
    """``T^{U,V}[mu_L](z)``: the output of softmax attention for one query.

    Parameters
    ----------
    prompt : array_like of shape (L, d)
        The tokens, one a row. Their order does not matter.
    query : array_like of shape (d,)
        A token of the prompt or any other point.
    U : array_like of shape (d, d)
        ``K'Q``.
    V : array_like of shape (d_out, d)

    Returns
    -------
    ndarray of shape (d_out,)
        ``V sum_k p_k z_k`` with ``p = softmax(z_1'Uz, ..., z_L'Uz)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real and finite, shapes do not fit, or the scores overflow.

    Examples
    --------
    >>> softmax_attention([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], np.eye(2), np.eye(2))
    array([0.5, 0.5])
    """
    prompt, query, U, V = _read(prompt, query, U, V)
    return np.asarray(V @ (softmax_weights(_scores(prompt, query, U)) @ prompt))


@within_floats("the output")
def linear_attention(prompt: ArrayLike, query: ArrayLike, U: ArrayLike, V: ArrayLike) -> Floats:
    """Linear attention normalised by the prompt length (Appendix B.2).

    Parameters
    ----------
    prompt, query, U, V : array_like
        As in `softmax_attention`.

    Returns
    -------
    ndarray of shape (d_out,)
        ``(1/L) sum_k (z_k'Uz) V z_k``.

    Raises
    ------
    TypeError, ValueError
        As in `softmax_attention`.

    Examples
    --------
    >>> linear_attention([[2.0], [1.0]], [1.0], [[1.0]], [[1.0]])
    array([2.5])
    """
    prompt, query, U, V = _read(prompt, query, U, V)
    return np.asarray(V @ (_scores(prompt, query, U) @ prompt) / len(prompt))


@within_floats("the output")
def gaussian_output(m: ArrayLike, Gamma: ArrayLike, U: ArrayLike, V: ArrayLike, z: ArrayLike) -> Floats:
    """The output of softmax attention for infinitely many Gaussian tokens (Lemma 2.1).

    Parameters
    ----------
    m : array_like of shape (d,)
        Mean of the tokens.
    Gamma : array_like of shape (d, d)
        Their covariance, possibly singular.
    U : array_like of shape (d, d)
    V : array_like of shape (d_out, d)
    z : array_like of shape (d,)
        The query.

    Returns
    -------
    ndarray of shape (d_out,)
        ``V m + V Gamma U z``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real and finite, or shapes do not fit.

    Examples
    --------
    >>> gaussian_output([1.0], [[2.0]], [[3.0]], [[1.0]], [1.0])
    array([7.])
    """
    m, Gamma, U, V, z = read_arrays(
        m=(m, "d"), Gamma=(Gamma, "d d"), U=(U, "d d"), V=(V, "d_out d"), z=(z, "d")
    )
    return np.asarray(V @ (m + Gamma @ (U @ z)))


@within_floats("the gradient of the output")
def grad_V(prompt: ArrayLike, query: ArrayLike, U: ArrayLike, V: ArrayLike) -> Floats:
    """Gradient of `softmax_attention` by V, shape (d_out, d_out, d):
    ``out[i] = e_i (sum_k p_k z_k)'`` is that of component i.
    """
    prompt, query, U, V = _read(prompt, query, U, V)
    mean = softmax_weights(_scores(prompt, query, U)) @ prompt
    return np.asarray(np.eye(len(V))[:, :, None] * mean)


@within_floats("the gradient of the output")
def grad_U(prompt: ArrayLike, query: ArrayLike, U: ArrayLike, V: ArrayLike) -> Floats:
    """Gradient of `softmax_attention` by U, shape (d_out, d, d): ``out[i] = C_L v_i z'``; zero for
    a single token.
    """
    prompt, query, U, V = _read(prompt, query, U, V)
    p = softmax_weights(_scores(prompt, query, U))
    centred = prompt - p @ prompt
    return np.asarray((V @ (centred.T * p) @ centred)[:, :, None] * query)


@within_floats("the gradient of the output")
def grad_K(prompt: ArrayLike, query: ArrayLike, K: ArrayLike, Q: ArrayLike, V: ArrayLike) -> Floats:
    """Gradient of `softmax_attention`, with ``U = K'Q``, by the key matrix (Section 3), shape
    (d_out, d_k, d): ``out[i] = Q (grad_U T_i)'``.
    """
    K, Q = read_arrays(K=(K, "d_k d"), Q=(Q, "d_k d"))
    return np.asarray(Q @ grad_U(prompt, query, K.T @ Q, V).transpose(0, 2, 1))


@within_floats("the gradient of the output")
def grad_Q(prompt: ArrayLike, query: ArrayLike, K: ArrayLike, Q: ArrayLike, V: ArrayLike) -> Floats:
    """Gradient of `softmax_attention`, with ``U = K'Q``, by the query matrix (Section 3), shape
    (d_out, d_k, d): ``out[i] = K grad_U T_i``.
    """
    K, Q = read_arrays(K=(K, "d_k d"), Q=(Q, "d_k d"))
    return np.asarray(K @ grad_U(prompt, query, K.T @ Q, V))
