"""The gradient flow of the attention over finitely many features, in the logarithm of time."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.regression.features.kernel import loss_kernel
from numerics.regression.features.path import AttentionPath, KernelProblem, read_problem, room_for
from theory.inputs.arrays import read_arrays
from theory.regression.features.data import FeatureRegression

__all__ = ["attention_flow"]

Floats = NDArray[np.float64]
#: Relative tolerances of the two integrations whose difference is the stated error.
FINE, COARSE = 1e-11, 1e-9
#: After so many evaluations of the gradient an integration is given up.
MOST_EVALUATIONS = 200_000


def attention_flow(
    problem: FeatureRegression, times: ArrayLike, *, start: ArrayLike | None = None
) -> AttentionPath:
    """Train the attention by gradient flow, ``dQ/dt = -gradient``.

    Late losses fall like 1/t, and what moves at time t moves on the scale of t: the flow is
    integrated in ``ln(1 + t/t_0)``, by LSODA. Where prompts are finite, scores of other classes are
    pulled together at a rate that does not fall, and that method becomes implicit.

    Parameters
    ----------
    problem : FeatureRegression
    times : array_like of shape (k,)
        Increasing, from 0 on. A learning rate eta is a unit of time: step t of gradient descent is
        near time ``eta t``.
    start : array_like of shape (d, d), optional
        Q at time 0; the paper's is 0.

    Returns
    -------
    AttentionPath
        Its ``error`` is the largest relative difference of the losses from those of an integration
        at a hundred times the tolerance, which is made when it is asked for. What a loss exceeds
        its floor by has no more digits than the loss itself.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind, or times do not increase.
    RuntimeError
        If the integrator gives up.

    Notes
    -----
    Li, Duan & Liang, arXiv:2507.20443, Section 3.2, in the limit of small learning rates.

    Examples
    --------
    The late loss of orthonormal features is ``(K - 1)/(4 t)``:

    >>> path = attention_flow(FeatureRegression(np.eye(4), np.eye(4)), [1e10])
    >>> round(float(4e10 * path.loss[0] / 3), 4), path.error < 1e-7
    (1.0, True)
    """
    given, Q0 = read_problem(problem, start)
    (at,) = read_arrays(times=(times, "k"))
    if (np.diff(at) <= 0).any() or at[0] < 0:
        raise ValueError(f"times = {times!r:.100} do not increase from 0 on; pass increasing times")
    losses, kept = _integrated(given, problem.gram, at, FINE)
    return AttentionPath(
        problem, at, losses, kept, Q0, estimated=partial(_error, given, problem.gram, at, losses)
    )


def _error(given: KernelProblem, G: Floats, times: Floats, losses: Floats) -> float:
    """The largest relative difference of the losses from those of a less exact integration."""
    coarse, _ = _integrated(given, G, times, COARSE)
    return float(np.max(abs(losses - coarse) / np.where(losses > 0, losses, 1.0)))


def _integrated(given: KernelProblem, G: Floats, times: Floats, rtol: float) -> tuple[Floats, Floats]:
    """Losses (k,) and coefficients (k, K, K) at the times."""
    from scipy.integrate import solve_ivp

    kernel, room, K = loss_kernel(), room_for(given), len(G)
    found_H = np.empty((K, K))

    def loss_and_H(W: Floats) -> tuple[float, Floats]:
        return kernel(np.ascontiguousarray(W), given, room, found_H), found_H

    # The first scores to move by one would do so near this time.
    speed = G @ loss_and_H(np.zeros((K, K)))[1] @ G
    unit = 1 / max(float(abs(speed).max()), np.finfo(float).tiny)
    ends = np.log1p(times / unit)

    evaluations = count(1)

    def motion(tau: float, flat: Floats) -> Any:
        if next(evaluations) > MOST_EVALUATIONS:
            raise RuntimeError(
                f"{MOST_EVALUATIONS} steps did not lead to time {times[-1]:.6g}; ask for earlier times"
            )
        return (unit * np.exp(tau) * loss_and_H(flat.reshape(K, K))[1]).ravel()

    found = solve_ivp(
        motion, (0.0, max(ends[-1], 1e-9)), np.zeros(K * K), "LSODA", t_eval=ends, rtol=rtol, atol=rtol * 1e-3
    )
    if not found.success:
        raise RuntimeError(
            f"the flow was not integrated to time {times[-1]:.6g} ({found.message}); ask for earlier times"
        )
    kept = found.y.T.reshape(-1, K, K)
    return np.array([loss_and_H(W)[0] for W in kept]), kept
