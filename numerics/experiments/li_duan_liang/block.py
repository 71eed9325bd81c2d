"""A transformer block with one softmax head, written out with its gradient, and the attention
alone: both predict the label of a query from a prompt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.experiments.li_duan_liang.prompts import Prompts

__all__ = ["Curves", "initial_block", "loss_and_gradient", "train"]

Floats = NDArray[np.floating]
Parameters = dict[str, Floats]
#: Keeps the variance that a layer norm divides by away from zero.
TINY = 1e-5
#: Adam's decay of the mean and of the square, and what keeps its divisor positive.
MEAN, SQUARE, LEAST = 0.9, 0.999, 1e-8


class Curves(NamedTuple):
    """What is recorded before each epoch and after the last one; nan from the epoch on at which
    training has diverged.
    """

    #: Mean of the squared error, without the factor 1/2.
    loss: Floats
    #: Mean attention on class i of a query of class j; empty where queries have no class.
    attention: Floats


def initial_block(d: int, width: int, seed: int, dtype: np.dtype | type = np.float64) -> Parameters:
    """Parameters of a block: scores zero as in the paper, the rest Gaussian with variance one over
    the number of inputs, and no bias.
    """
    rng = np.random.default_rng(seed)
    matrix = lambda rows, columns: (rng.normal(size=(rows, columns)) / np.sqrt(columns)).astype(dtype)
    return {
        "Q": np.zeros((d, d), dtype),
        "embed": matrix(width, d),
        "values": matrix(width, d + 1),
        "up": matrix(2 * width, width),
        "down": matrix(width, 2 * width),
        "head": matrix(1, width)[0],
    }


def loss_and_gradient(p: Parameters, prompts: Prompts) -> tuple[float, Parameters, Floats]:
    """Mean of the squared error over two, its gradient in the parameters, and the attention (M, n)
    with all tokens of one kind together. ``Q`` alone is the analysed model, whose prediction is the
    mean of the labels under the attention; with the other parameters of `initial_block` it is the
    block.
    """
    # The block is ``r = N(embed q + values o)``, ``z = N(r + down max(0, up r))`` and the
    # prediction ``head z``, with o the mean of the tokens (x, y) under the attention, q the query
    # and N the layer norm.
    x, y, counts, q, target, _ = prompts
    M = len(target)
    scores = (x @ (q @ p["Q"].T)[:, :, None])[:, :, 0]
    weights = counts * np.exp(scores - scores.max(1, keepdims=True))
    a = weights / weights.sum(1, keepdims=True)
    gradient: Parameters = {}
    if "head" not in p:
        out = (a * y).sum(1)
        error = out - target
        d_a = error[:, None] * y / M
    else:
        o = np.concatenate([(a[:, None] @ x)[:, 0], (a * y).sum(1, keepdims=True)], 1)
        r, scale = _norm(q @ p["embed"].T + o @ p["values"].T)
        hidden = np.maximum(r @ p["up"].T, 0)
        z, scale_z = _norm(r + hidden @ p["down"].T)
        error = z @ p["head"] - target
        d_out = error / M
        gradient["head"] = d_out @ z
        d_sum = _norm_back(d_out[:, None] * p["head"], z, scale_z)
        d_hidden = (d_sum @ p["down"]) * (hidden > 0)
        gradient["down"], gradient["up"] = d_sum.T @ hidden, d_hidden.T @ r
        d_r = _norm_back(d_sum + d_hidden @ p["up"], r, scale)
        gradient["embed"], gradient["values"] = d_r.T @ q, d_r.T @ o
        d_o = d_r @ p["values"]
        d_a = (x @ d_o[:, :-1, None])[:, :, 0] + d_o[:, -1:] * y
    d_scores = a * (d_a - (a * d_a).sum(1, keepdims=True))
    gradient["Q"] = (d_scores[:, None] @ x)[:, 0].T @ q
    return float(np.mean(error**2) / 2), gradient, a


def _norm(h: Floats) -> tuple[Floats, Floats]:
    """The layer norm, and the deviation that it divides by."""
    centred = h - h.mean(1, keepdims=True)
    scale = np.sqrt((centred**2).mean(1, keepdims=True) + TINY)
    return centred / scale, scale


def _norm_back(d: Floats, z: Floats, scale: Floats) -> Floats:
    """The gradient before a layer norm from that after it, z being its output."""
    return (d - d.mean(1, keepdims=True) - z * (d * z).mean(1, keepdims=True)) / scale


def train(p: Parameters, prompts: Prompts, epochs: int, rate: float, optimiser: str = "adam") -> Curves:
    """Train on all prompts at once, in place, by "adam" or "gd"."""
    if optimiser not in ("adam", "gd"):
        raise ValueError(f"optimiser = {optimiser!r} is unknown; pass 'adam' or 'gd'")
    if not 0 < rate < np.inf:
        raise ValueError(f"rate = {rate} is not positive; pass a positive number")
    if epochs < 0:
        raise ValueError(f"epochs = {epochs} is negative; pass a whole number from 0 on")
    n = prompts.y.shape[1]
    asked = (
        np.eye(n)[prompts.classes] if (prompts.classes >= 0).all() else np.empty((len(prompts.classes), 0))
    )
    mean, square = ({name: np.zeros_like(value) for name, value in p.items()} for _ in range(2))
    losses, maps = np.full(epochs + 1, np.nan), np.full((epochs + 1, n, asked.shape[1]), np.nan)
    for t in range(1, epochs + 2):
        with np.errstate(all="ignore"):  # what is not finite ends the loop
            loss, gradient, a = loss_and_gradient(p, prompts)
        if not np.isfinite(loss):
            break
        losses[t - 1], maps[t - 1] = 2 * loss, a.T @ asked / np.maximum(asked.sum(0), 1)
        if t > epochs:
            break
        for name, g in gradient.items():
            if optimiser == "adam":
                mean[name] = MEAN * mean[name] + (1 - MEAN) * g
                square[name] = SQUARE * square[name] + (1 - SQUARE) * g**2
                g = mean[name] / (1 - MEAN**t) / (np.sqrt(square[name] / (1 - SQUARE**t)) + LEAST)
            p[name] -= (rate * g).astype(p[name].dtype)
    return Curves(losses, maps)
