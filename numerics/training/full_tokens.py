"""Stochastic gradient descent with every token drawn, in plain NumPy from the definitions of
Appendix A.1: the slow reference that the tests compare the compiled kernels with. It shares nothing
with them: other random numbers, no reduction to few coordinates, keys and values of every token,
and the chain rule written out parameter by parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.training.parameters import Parameters, pack, unpack

__all__ = ["Prompts", "draw_prompts", "full_token_kernel", "full_token_step", "predictions"]

Floats = NDArray[np.float64]


class Prompts(NamedTuple):
    """A batch of prompts with their queries."""

    #: z_l = (x_l, y_l).
    tokens: Floats
    #: z_q = (x_q, 0).
    queries: Floats
    #: y_q, label noise included.
    labels: Floats


def draw_prompts(
    generator: np.random.Generator, batch: int, L: int, A: Floats, B: Floats, task_sd: float, noise_sd: float
) -> Prompts:
    """A batch with covariates A g in the prompt and B g in the query."""
    w = task_sd * generator.standard_normal((batch, len(A)))
    x = generator.standard_normal((batch, L, len(A))) @ A.T
    y = np.einsum("sld,sd->sl", x, w) + noise_sd * generator.standard_normal((batch, L))
    x_q = generator.standard_normal((batch, len(B))) @ B.T
    y_q = np.einsum("sd,sd->s", x_q, w) + noise_sd * generator.standard_normal(batch)
    return Prompts(np.concatenate([x, y[..., None]], 2), np.concatenate([x_q, np.zeros((batch, 1))], 1), y_q)


def predictions(parameters: Parameters, attention: str, prompts: Prompts, scale: float = 1.0) -> Floats:
    """The prediction o·(sum of weights times V z_l) for every prompt; weights softmax(scores) or
    scores / L.
    """
    weights, values = _weights(parameters, attention, prompts, scale), prompts.tokens @ parameters.V.T
    return np.asarray(np.einsum("sl,sli->si", weights, values) @ parameters.O)


def full_token_step(
    parameters: Parameters, attention: str, prompts: Prompts, scale: float = 1.0
) -> tuple[float, Parameters]:
    """The loss of one batch, the mean of (T - y_q)² / 2, and its gradient by the parameters of one
    architecture, with scores scale (Q z_q)·(K z_l).
    """
    o, V, K, Q = parameters
    z, z_q, y = prompts
    count, L = z.shape[:2]
    weights, keys, values, query = (
        _weights(parameters, attention, prompts, scale),
        z @ K.T,
        z @ V.T,
        z_q @ Q.T,
    )
    out = np.einsum("sl,sli->si", weights, values)
    error = out @ o - y
    d_out = error[:, None] * o / count
    d_weights = np.einsum("sli,si->sl", values, d_out)
    centred = d_weights - (weights * d_weights).sum(1, keepdims=True)
    d_scores = weights * centred if attention == "softmax" else d_weights / L
    gradient = Parameters(
        error @ out / count,
        d_out.T @ np.einsum("sl,slj->sj", weights, z),
        scale * query.T @ np.einsum("sl,slj->sj", d_scores, z),
        scale * np.einsum("sl,slj->sj", d_scores, keys).T @ z_q,
    )
    return float(error @ error) / (2 * count), gradient


def full_token_kernel(attention: str) -> Callable[..., int]:
    """A kernel of `numerics.training.kernels.loop.sgd_kernel`'s arguments and effects that draws
    every token, in a stream of its own.
    """

    kinds = ("softmax", "linear") if attention == "coupled" else (attention,)

    def kernel(  # type: ignore[no-untyped-def]
        theta,
        L,
        first,
        steps,
        lr,
        A,
        B,
        task_sd,
        noise_sd,
        scale,
        factor,
        batch,
        key0,
        key1,
        losses,
        gradient,
    ):
        models, rows = theta.reshape(len(kinds), *theta.shape[-2:]), losses.reshape(len(kinds), -1)
        sums = gradient.reshape(models.shape) if gradient.size else None
        for step in range(steps):
            seed = np.array([int(key0) | int(key1) << 32, first + step], dtype=np.uint64)
            prompts = draw_prompts(
                np.random.Generator(np.random.Philox(key=seed)), batch, L, A, B, task_sd, noise_sd
            )
            with np.errstate(over="ignore", invalid="ignore"):
                found = [
                    full_token_step(unpack(model), kind, prompts, scale) for model, kind in zip(models, kinds)
                ]
                gradients = np.stack([pack(g) for _, g in found])
                after = models - lr * factor * gradients
            rows[:, step] = [loss for loss, _ in found]
            if not (np.isfinite(rows[:, step]).all() and np.isfinite(after).all()):
                return first + step
            models[...] = after
            if sums is not None and lr == 0:
                sums += gradients
        return -1

    return kernel


def _weights(parameters: Parameters, attention: str, prompts: Prompts, scale: float) -> Floats:
    """Attention weights (batch, L): the softmax of the scores, or scores / L."""
    scores = scale * np.einsum(
        "sli,si->sl", prompts.tokens @ parameters.K.T, prompts.queries @ parameters.Q.T
    )
    if attention == "linear":
        return scores / scores.shape[1]
    if attention != "softmax":
        raise ValueError(f'attention = {attention!r} is not known; take "softmax" or "linear"')
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(weights / weights.sum(1, keepdims=True))
