"""The infinite-prompt risk of in-context linear regression at any parameters, with its gradient, in
closed form (Boursier & Boyer, Section 5 and Appendix F.2). `theory.regression.risk` has it on the
block manifold of Assumption 5.1; here ``U`` is the whole query-key matrix and ``v`` the last row of
the value matrix, so that claims can ask what the block form costs.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.inputs.arrays import read_in_kind
from theory.inputs.covariance import identity_like, read_noise, read_with_covariance, trace
from theory.inputs.overflow import within_floats

__all__ = ["full_risk", "full_risk_gradient"]

Matrix: TypeAlias = NDArray[np.floating[Any]] | Any
Scalar: TypeAlias = float | Any


def _blocks(Sigma: Any, U: Any, v: Any, noise: Any) -> tuple[Any, ...]:
    """Sigma, then the blocks ``A, b, p, q`` with ``U (x, 0) = (A x, b'x)`` and ``v = (p, q)``, then
    the noise.
    """
    (Sigma,), (U, v) = read_with_covariance(Sigma), read_in_kind(U=(U, "d+1 d+1"), v=(v, "d+1"))
    if U.shape[0] != Sigma.shape[0] + 1:
        raise ValueError(
            f"U has shape {U.shape}, but tokens (x, y) have dimension d + 1 = {Sigma.shape[0] + 1}"
        )
    d, exact = Sigma.shape[0], isinstance(Sigma, sp.MatrixBase)
    p = v[:d, :] if exact else v[:d, None]
    return Sigma, U[:d, :d], U[d:, :d].T, p, v[d], read_noise(noise, exact)


@within_floats("the risk")
def full_risk(Sigma: Matrix, U: Matrix, v: Matrix, *, noise: Scalar = 0) -> Scalar:
    """Infinite-prompt risk at any parameters, ``E_w E_x (v' Gamma_w U (x, 0) - w'x)^2 / 2``, in
    closed form, for a covariance (d, d), U (d + 1, d + 1) and the last row v (d + 1,) of the value
    matrix: the other rows do not reach the prediction, and the last column of U meets the masked
    label.

    With ``U (x, 0) = (A x, b'x)`` and ``v = (p, q)`` the residual is ``(c(w) + M w)'x``, where
    ``M = q A'S + b p'S - I`` and ``c(w) = A'S p + q (w'S w + noise) b`` is even in ``w``; so
    ``M w`` and ``c(w)`` are uncorrelated.
    """
    Sigma, A, b, p, q, noise = _blocks(Sigma, U, v, noise)
    mean = A.T @ Sigma @ p + q * (trace(Sigma) + noise) * b
    M = q * A.T @ Sigma + b @ (p.T @ Sigma) - identity_like(Sigma)
    spread = 2 * q**2 * trace(Sigma @ Sigma) * trace(b.T @ Sigma @ b)
    return (trace(mean.T @ Sigma @ mean) + spread + trace(M.T @ Sigma @ M)) / 2


@within_floats("the gradient of the risk")
def full_risk_gradient(Sigma: Matrix, U: Matrix, v: Matrix, *, noise: Scalar = 0) -> tuple[Matrix, Matrix]:
    """Gradient of `full_risk` in all entries of ``U`` and ``v``."""
    Sigma, A, b, p, q, noise = _blocks(Sigma, U, v, noise)
    d = Sigma.shape[0]
    level = trace(Sigma) + noise
    mean = A.T @ Sigma @ p + q * level * b
    SM = Sigma @ (q * A.T @ Sigma + b @ (p.T @ Sigma) - identity_like(Sigma))
    twice = 2 * trace(Sigma @ Sigma)
    to_A = Sigma @ p @ mean.T @ Sigma + q * Sigma @ SM.T
    to_b = q * level * Sigma @ mean + twice * q**2 * Sigma @ b + SM @ Sigma @ p
    to_p = Sigma @ A @ Sigma @ mean + Sigma @ SM.T @ b
    to_q = level * trace(b.T @ Sigma @ mean) + twice * q * trace(b.T @ Sigma @ b) + trace(SM.T @ A.T @ Sigma)
    if isinstance(Sigma, sp.MatrixBase):
        to_U = sp.Matrix([[to_A, sp.zeros(d, 1)], [to_b.T, sp.zeros(1, 1)]])
        return to_U, sp.Matrix([to_p, sp.Matrix([to_q])])
    to_U = np.zeros((d + 1, d + 1))
    to_U[:d, :d], to_U[d, :d] = to_A, to_b[:, 0]
    return to_U, np.append(to_p[:, 0], to_q)
