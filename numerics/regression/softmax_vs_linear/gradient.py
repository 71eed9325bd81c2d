"""How far the gradients of the risks of softmax and of linear attention are apart at the same
parameters (Figures 1 and 5 of Boursier & Boyer), averaged over all prompts without drawing one.
"""

# Given task and query the two risks differ by a function of s = a'Gamma a, t = b'Gamma b and h =
# b'Gamma a (see `numerics.regression.softmax_vs_linear.output`), whose slopes are moments of the
# softmax weights. What is left is a mean over 2d Gaussian numbers, by scrambled Sobol' points.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.weight_tables import weight_table
from numerics.compiled.streams import key_of
from numerics.regression.risk.any_parameters import TaskModel, check_points, normal_points
from numerics.training.parameters import read_parameters
from theory.regression.experiment import Variant
from theory.regression.task import RegressionTask

__all__ = ["GradientGap", "gradient_gap"]

Floats = NDArray[np.float64]
OVERFLOW = (
    "parameters, or the gap at them, are beyond the range of floats; take a record before "
    "the run went to infinity"
)


class GradientGap(NamedTuple):
    """``|grad R_soft - grad R_lin|^2`` over all of O, V, K, Q."""

    #: Shape (lengths,).
    value: Floats
    error: Floats
    #: Jackknife values, whose mean is `value`. All lengths share tasks and queries: compare two of
    #: them row by row.
    each: Floats


def gradient_gap(
    parameters: Any,
    task: RegressionTask,
    lengths: Sequence[int],
    *,
    variant: str | Variant = "as written",
    points: int = 1 << 10,
    seed: int = 0,
) -> GradientGap:
    """The squared distance of the gradients of the two population risks at the same parameters O
    (n,), V, K, Q (n, n), from 16 randomisations of `points` Sobol' points, a power of 2. It is
    without bias: products of the gradients of different randomisations.
    """
    model, count = TaskModel(task, variant), check_points(points)
    key_of(seed)
    theta = read_parameters(parameters, model.d)
    if theta.O.ndim > 1:
        raise ValueError(f"parameters have axes {theta.O.shape[:-1]} in front; pass those of one point")
    with np.errstate(over="ignore", invalid="ignore"):
        found = _jackknife(model, theta, lengths, normal_points(model.d, count, seed))
    if not np.isfinite(found).all():
        raise ValueError(OVERFLOW)
    return GradientGap(found.mean(axis=0), found.std(axis=0, ddof=1) / len(found) ** 0.5, found)


def _jackknife(model: TaskModel, parameters: Sequence[Floats], lengths: Sequence[int], g: Floats) -> Floats:
    """Jackknife values (randomisations, lengths) of the squared gap, from the mean gap of the
    gradients in each randomisation.
    """
    (O, V, K, Q), d, c = parameters, model.d, model.score_scale
    b, N = V.T @ O, c * K.T @ Q[:, :d]
    w, x = model.om * g[..., :d], g[..., d:] @ model.B.T
    seen_a, seen_b = model.seen(w, x @ N.T), model.seen(w, np.broadcast_to(b, (*w.shape[:-1], d + 1)))
    full_a, full_b = (_back(model, w, seen) for seen in (seen_a, seen_b))  # Gamma a, Gamma b
    s, h, t, y = (
        np.einsum("...i,...i->...", p, q)
        for p, q in ((seen_a, seen_a), (seen_a, seen_b), (seen_b, seen_b), (w, x))
    )
    if not all(np.isfinite(x).all() for x in (s, h, t)):
        raise ValueError(OVERFLOW)
    found = []
    for L in lengths:
        m = weight_table(float(L))(s)
        by_s = (m.dP2 - 1 / L) * t / 2 - m.db * h**2 / 2 + m.dP2 * h * y
        by_t, by_h = (m.P2 - s / L) / 2, m.P2 * y - (m.b + 1 / L) * h
        to_N = (
            c
            * np.einsum("rpi,rpj->rij", 2 * by_s[..., None] * full_a + by_h[..., None] * full_b, x)
            / g.shape[1]
        )
        to_b = (2 * by_t[..., None] * full_b + by_h[..., None] * full_a).mean(axis=1)
        parts = [
            to_b @ V.T,
            np.einsum("i,rj->rij", O, to_b),
            np.einsum("ik,rjk->rij", Q[:, :d], to_N),
            np.einsum("ij,rjk->rik", K, to_N),
        ]
        found.append(_squared_norm(np.concatenate([part.reshape(len(g), -1) for part in parts], axis=1)))
    return np.array(found).reshape(-1, len(g)).T


def _back(model: TaskModel, w: Floats, seen: Floats) -> Floats:
    """``M v`` for v = M'a: the covariance of the tokens times a."""
    x = seen[..., :-1] @ model.A.T
    return np.concatenate(
        [x, np.einsum("...i,...i->...", w, x)[..., None] + np.sqrt(model.tau2) * seen[..., -1:]], axis=-1
    )


def _squared_norm(rows: Floats) -> Floats:
    """Jackknife values of the mean of x_i·x_j over pairs i != j of rows: of the squared norm of
    their mean, without the bias that the noise of x_i·x_i has.
    """
    count, total, own = len(rows), rows.sum(axis=0), np.einsum("ij,ij->i", rows, rows)
    pairs = total @ total - own.sum()
    without = (pairs - 2 * (rows @ total - own)) / ((count - 1) * (count - 2))
    return np.asarray(pairs / (count - 1) - (count - 1) * without)
