"""The public function for exact errors of softmax attention: one call for Gaussian tokens and for
every law whose transform is known, at one query or averaged over Gaussian ones.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from numerics.attention.exact.any_law import law_errors
from numerics.attention.exact.embedding_rows import is_large, table_errors
from numerics.attention.exact.errors import ExactErrors
from numerics.attention.exact.gaussian_tokens import TOLERANCES, gaussian_errors
from numerics.attention.setting import AttentionSetting, as_setting, read_lengths
from numerics.token_laws import TokenLaw
from theory.inputs.arrays import read_arrays

__all__ = ["exact_errors"]


def exact_errors(
    Gamma: ArrayLike | TokenLaw | AttentionSetting,
    U: ArrayLike | None = None,
    V: ArrayLike | None = None,
    lengths: ArrayLike = (),
    *,
    query: ArrayLike | None = None,
    query_cov: ArrayLike | None = None,
    K: ArrayLike | None = None,
    Q: ArrayLike | None = None,
    tolerance: float = 1e-3,
) -> ExactErrors:
    """How far softmax attention on L tokens is from its infinite-prompt limit, without sampling.

    T_L = V sum p_k z_k with p = softmax(z_1'Uz, ..., z_L'Uz) tends to T = V h, h the mean of the
    law of the tokens tilted by the scores, and its gradients tend to those of T. For tokens N(0,
    Gamma), h = Gamma U z.

    Parameters
    ----------
    Gamma : array_like, shape (d, d), TokenLaw, or AttentionSetting
        Covariance of Gaussian tokens, symmetric positive semidefinite, may be singular; or any law
        with a ``log_mgf``. A setting brings all but the lengths.
    U : array_like, shape (d, d)
        Or None, if K and Q are given.
    V : array_like, shape (d_out, d)
    lengths : array_like, shape (n,) or ()
        Whole numbers from 1 to 1e100, in any order.
    query, query_cov : array_like, shapes (d,) and (d, d)
        Either the query z, or the covariance S of a query N(0, S), independent of the prompt, to
        average over (Gaussian tokens only).
    K, Q : array_like, shape (m, d), optional
        Key and query matrices with ``U = K'Q``; both or neither.
    tolerance : float
        Relative error, from 1e-5 to 0.1, up to which averages over the query are pushed; at one
        query it plays no part.

    Returns
    -------
    ExactErrors

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind described, shapes do not fit, U is not K'Q, the scores
        have a variance beyond 4096 (where queries matter), or an average does not settle to the
        tolerance. For other laws also what `numerics.attention.exact.any_law.law_errors` refuses.

    Notes
    -----
    Let s = (Uz)'Gamma(Uz). At one query the relative error is below 1e-10 for s <= 36 and below
    1e-8 for s <= 64, against a table in multiple precision; beyond, 1e-6 or better. For other laws
    an estimate is returned, typically below 1e-11. For a large embedding table the errors of output
    and gradient in V are exact, and those of the other gradients nan. The gradient in K is Q
    (grad_U)', that in Q is K grad_U.

    Examples
    --------
    With U = 0 attention is a plain mean, and the gradient in U is a sample covariance:

    >>> import numpy as np
    >>> e = exact_errors(np.eye(2), np.zeros((2, 2)), np.eye(2), [1, 10], query=[1.0, 0.0])
    >>> e.output.round(9).tolist(), e.grad_V.round(9).tolist(), e.grad_U.round(9).tolist()
    ([2.0, 0.2], [4.0, 0.4], [2.0, 0.56])
    """
    setting = as_setting(Gamma, U, V, query=query, query_cov=query_cov, K=K, Q=Q)
    read_arrays(tolerance=(tolerance, ""))
    if not TOLERANCES[0] <= tolerance <= TOLERANCES[1]:
        raise ValueError(
            f"tolerance = {tolerance} is outside {TOLERANCES[0]:g} to {TOLERANCES[1]:g}, what averages can "
            "settle to"
        )
    L = read_lengths(lengths)
    if setting.averaged and (query is not None or setting.query.any()):
        raise ValueError(
            "both of query and query_cov given; pass query=z for one query, query_cov=S for the mean over "
            "N(0, S)"
        )
    if setting.gaussian:
        return gaussian_errors(setting, L, tolerance)
    return table_errors(setting, L) if is_large(setting.law) else law_errors(setting, L)
