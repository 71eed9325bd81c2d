"""The risk of in-context linear regression in closed form (Boursier & Boyer, Section 5 and Appendix
F), its gradient, and the gradient flow of linear attention at any prompt length.

A task is ``w ~ N(0, I)``, covariates are ``x ~ N(0, Sigma)``, labels ``y = w'x`` plus noise, and
the query is shown as ``(x, 0)``. On the block manifold of Assumption 5.1 the parameters are
``diag(U11, 0)`` and ``diag(0, u)``; here ``U`` is that block and ``u`` that scalar. Every function
takes NumPy arrays or SymPy matrices and answers in kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.inputs.covariance import (
    identity_like,
    read_noise,
    read_prompt_length,
    read_with_covariance,
    trace,
)
from theory.inputs.overflow import within_floats
from theory.inputs.spectrum import onto_range

__all__ = [
    "effective_covariance",
    "icl_risk",
    "icl_risk_gradient",
    "invariants",
    "risk_and_gradient",
    "task_covariance",
    "vector_field",
]

Matrix: TypeAlias = NDArray[np.floating[Any]] | Any
Scalar: TypeAlias = float | Any


def _effective(Sigma: Matrix, prompt_length: Any, noise: Any) -> Matrix:
    """`effective_covariance` of a Sigma that has been read."""
    exact = isinstance(Sigma, sp.MatrixBase)
    tau2 = read_noise(noise, exact)
    if prompt_length is None:
        return Sigma
    L = read_prompt_length(prompt_length, exact)
    return (1 + 1 / L) * Sigma + ((trace(Sigma) + tau2) * (1 / L)) * identity_like(Sigma)


@within_floats("the covariance of a token")
def task_covariance(Sigma: Matrix, w: Matrix, noise: Scalar = 0) -> Matrix:
    """Covariance of a token ``(x, w'x + e)``, the label noise ``e`` having variance ``noise``.

    Parameters
    ----------
    Sigma : array or Matrix (d, d)
        Covariance of the covariates.
    w : array (d,) or Matrix (d, 1)
        Coefficients of the task.
    noise : float or Expr
        Variance of the label noise; it enters the bottom-right corner and nothing else.

    Returns
    -------
    array or Matrix (d + 1, d + 1)
        Boursier & Boyer, eq. (12).

    Raises
    ------
    TypeError, ValueError
        As in `icl_risk`.

    Examples
    --------
    >>> task_covariance(np.eye(1), np.array([2.0]), noise=0.5)
    array([[1. , 2. ],
           [2. , 4.5]])
    """
    Sigma, w = read_with_covariance(Sigma, w=(w, "d"))
    noise = read_noise(noise, isinstance(Sigma, sp.MatrixBase))
    if isinstance(Sigma, sp.MatrixBase):
        return sp.Matrix([[Sigma, Sigma @ w], [(Sigma @ w).T, (w.T @ Sigma @ w) + sp.Matrix([[noise]])]])
    column = (Sigma @ w)[:, None]
    return np.block([[Sigma, column], [column.T, np.array([[w @ Sigma @ w + noise]])]])


@within_floats("S_L")
def effective_covariance(Sigma: Matrix, prompt_length: Scalar | None = None, noise: Scalar = 0) -> Matrix:
    """The matrix that takes the place of Sigma inside the brackets of the flow when prompts are
    finite.

    ``S_L = (1 + 1/L) Sigma + ((tr Sigma + noise) / L) I``, which comes from ``E[X A X]`` for the
    empirical covariance ``X`` of the prompt (Boursier & Boyer, Appendix F.2, there without noise).
    It commutes with Sigma.

    Parameters
    ----------
    Sigma : array or Matrix (d, d)
        Covariance of the covariates.
    prompt_length : int, Expr or None
        Tokens in a prompt; None is the infinite prompt, where the result is Sigma itself.
    noise : float or Expr
        Variance of the label noise, in units of the variance of an entry of ``w``.

    Returns
    -------
    array or Matrix (d, d)

    Raises
    ------
    TypeError, ValueError
        As in `icl_risk`.

    Examples
    --------
    >>> effective_covariance(np.eye(2), prompt_length=4)
    array([[1.75, 0.  ],
           [0.  , 1.75]])
    """
    (Sigma,) = read_with_covariance(Sigma)
    return _effective(Sigma, prompt_length, noise)


@within_floats("the risk")
def icl_risk(
    Sigma: Matrix, U: Matrix, u: Scalar, *, prompt_length: Scalar | None = None, noise: Scalar = 0
) -> Scalar:
    """Risk of linear attention on the block manifold, for a query whose own label carries no noise.

    ``(u^2 tr(U S U' S S_L) - 2 u tr(S U S) + tr S) / 2``. With the infinite prompt this is also the
    risk of softmax attention, since tokens are Gaussian (Lemma 2.1). A noisy query label adds
    ``noise / 2``.

    Parameters
    ----------
    Sigma, U : array or Matrix (d, d)
        Covariance of the covariates, and the query-key block.
    u : float or Expr
        The value scalar.
    prompt_length, noise
        As in `effective_covariance`.

    Returns
    -------
    float or Expr

    Raises
    ------
    TypeError
        If an argument is not real.
    ValueError
        If shapes do not fit, an entry is not finite, a numeric Sigma is no covariance, the prompt
        length no positive integer, the noise negative, or the answer is beyond the range of floats.

    Examples
    --------
    >>> I = np.eye(2)
    >>> float(icl_risk(I, 0 * I, 1.0)), float(icl_risk(I, I, 1.0))
    (1.0, 0.0)
    """
    Sigma, U, u = read_with_covariance(Sigma, U=(U, "d d"), u=(u, ""))
    return _risk(Sigma, _effective(Sigma, prompt_length, noise), U, u)


@within_floats("the gradient of the risk")
def icl_risk_gradient(
    Sigma: Matrix, U: Matrix, u: Scalar, *, prompt_length: Scalar | None = None, noise: Scalar = 0
) -> tuple[Matrix, Scalar]:
    """Gradient of `icl_risk` in ``U`` (Frobenius inner product) and in ``u``.

    Parameters
    ----------
    Sigma, U, u, prompt_length, noise
        As in `icl_risk`.

    Returns
    -------
    tuple
        ``(u S (u S_L U - I) S, tr((u S_L U - I) S U' S))``.

    Raises
    ------
    TypeError, ValueError
        As in `icl_risk`.

    Examples
    --------
    >>> gradient, slope = icl_risk_gradient(np.eye(1), np.eye(1), 2.0)
    >>> gradient.tolist(), float(slope)
    ([[2.0]], 1.0)
    """
    Sigma, U, u = read_with_covariance(Sigma, U=(U, "d d"), u=(u, ""))
    return _gradient(Sigma, _effective(Sigma, prompt_length, noise), identity_like(Sigma), U, u)


def _risk(Sigma: Matrix, S_L: Matrix, U: Matrix, u: Scalar) -> Scalar:
    """`icl_risk` of arguments that have been read, S_L the effective covariance."""
    return (u**2 * trace(U @ Sigma @ U.T @ Sigma @ S_L) - 2 * u * trace(Sigma @ U @ Sigma) + trace(Sigma)) / 2


def _gradient(Sigma: Matrix, S_L: Matrix, identity: Matrix, U: Matrix, u: Scalar) -> tuple[Matrix, Scalar]:
    """`icl_risk_gradient` of arguments that have been read."""
    bracket = u * S_L @ U - identity
    return u * Sigma @ bracket @ Sigma, (bracket @ Sigma @ U.T @ Sigma).trace()


def risk_and_gradient(
    Sigma: Matrix, *, prompt_length: Scalar | None = None, noise: Scalar = 0
) -> tuple[Callable[[Matrix, Scalar], Scalar], Callable[[Matrix, Scalar], tuple[Matrix, Scalar]]]:
    """`icl_risk` and `icl_risk_gradient` of one task as functions of ``(U, u)``, which they take
    unchecked: for integrators.
    """
    (Sigma,) = read_with_covariance(Sigma)
    S_L = _effective(Sigma, prompt_length, noise)
    return partial(_risk, Sigma, S_L), partial(_gradient, Sigma, S_L, identity_like(Sigma))


def vector_field(
    Sigma: Matrix, U: Matrix, u: Scalar, *, prompt_length: Scalar | None = None, noise: Scalar = 0
) -> tuple[Matrix, Scalar]:
    """The gradient flow ``(dU/dt, du/dt)``: minus `icl_risk_gradient`.

    The block structure is kept by the flow of all parameters, because the gradient in the other
    blocks is an odd moment of ``w``; `full_risk_gradient` lets this be checked.

    Parameters
    ----------
    Sigma, U, u, prompt_length, noise
        As in `icl_risk`.

    Returns
    -------
    tuple
        ``(dU/dt, du/dt)``, shapes ``(d, d)`` and ``()``.

    Raises
    ------
    TypeError, ValueError
        As in `icl_risk`.

    Examples
    --------
    >>> motion, speed = vector_field(np.eye(1), np.eye(1), 0.5)
    >>> motion.tolist(), float(speed)
    ([[0.25]], 0.5)
    """
    gradient, slope = icl_risk_gradient(Sigma, U, u, prompt_length=prompt_length, noise=noise)
    return -gradient, -slope


@within_floats("the balance |U|_F^2 - u^2 or P(U)")
def invariants(Sigma: Matrix, U: Matrix, u: Scalar) -> tuple[Scalar, Matrix]:
    """What the flow conserves, with infinite and with finite prompts: ``|U|_F^2 - u^2`` and
    ``P(U) = U - S S^+ U S S^+``.

    Parameters
    ----------
    Sigma, U, u
        As in `icl_risk`.

    Returns
    -------
    tuple
        The balance ``|U|_F^2 - u^2`` and the matrix ``P(U)``; P vanishes where Sigma is invertible.
        What cannot be told from rounding errors of Sigma counts as zero, see
        `theory.inputs.spectrum`.

    Raises
    ------
    TypeError, ValueError
        As in `icl_risk`.

    Examples
    --------
    >>> balance, kept = invariants(np.diag([1.0, 0.0]), np.eye(2), 1.0)
    >>> float(balance), kept.tolist()
    (1.0, [[0.0, 0.0], [0.0, 1.0]])
    """
    Sigma, U, u = read_with_covariance(Sigma, U=(U, "d d"), u=(u, ""))
    onto = Sigma @ Sigma.pinv() if isinstance(Sigma, sp.MatrixBase) else onto_range(Sigma)
    return trace(U.T @ U) - u**2, U - onto @ U @ onto
