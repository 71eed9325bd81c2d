"""The exact minimisers and losses beside the trainings of Collins et al., from our R13."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import window_loss
from theory.attention.window.classes import TaskClass, affine, cosine, linear, relu
from theory.attention.window.own_class import from_spectrum

__all__ = ["Exact", "linear_attention_loss", "minimiser", "tasks_of"]


class Exact(NamedTuple):
    """The spectral norm 2w of the best multiple of the identity, and its loss."""

    norm: float
    loss: float


def tasks_of(task: str, L: float) -> TaskClass | None:
    """The class that a name of `train_matrix` stands for, where its values at two points depend on
    their angle only; else None, as for phases cos(L angle - b) with L no whole number, which jump.
    """
    if task == "phase":
        return from_spectrum([0.0] * int(L) + [0.5]) if int(L) == L else None
    makers = {"affine": affine, "relu": relu, "cosine": cosine, "linear": linear}
    return makers[task](L)


@cache
def minimiser(task: str, d: int, n: int, L: float, sigma: float) -> Exact | None:
    """The population minimiser of Lemma B.5 for uniform covariates; None where R13 does not
    reach.
    """
    if task == "phase" and L == 0:
        return Exact(0.0, sigma**2 / n)  # every weight is as good for a constant, and 1/n best for the noise
    tasks = tasks_of(task, L)
    if tasks is None:
        return None
    found = optimal_window(tasks, d, n, sigma**2)
    return Exact(2 * found.w, found.loss)


@cache
def loss_at(task: str, d: int, n: int, L: float, sigma: float, w: float) -> float:
    """The loss of a class at a width."""
    tasks = tasks_of(task, L)
    assert tasks is not None
    return float(window_loss(tasks, d, n, w, sigma**2).loss)


def linear_attention_loss(task: str, d: int, n: int, L: float, sigma: float) -> float | None:
    """The least loss of linear attention with M = c I."""
    # With b_1 the part of degree 1 of E f(x) f(y) and t = x'y, the terms of
    # ``(f - c sum t_i y_i)^2`` are ``E f t y = b_1/d``, ``E t^2 y^2 = (E f^2 + sigma^2)/d`` for
    # classes that only rotations average, and ``E t_1 t_2 y_1 y_2 = b_1/d^2``.
    tasks = tasks_of(task, L)
    if tasks is None:
        return None
    spectrum = tasks.spectrum(d)
    total, b = spectrum.total, float(np.append(spectrum.b, [0.0, 0.0])[1])
    return float(total - n * b**2 / (d * (total + sigma**2) + (n - 1) * b))
