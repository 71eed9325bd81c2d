"""Training of attention as Collins et al. do it: Adam on M = M_K'M_Q with tied M_K = M_Q, a fresh
task at every step (Appendix J).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.window.adam_kernel import TASKS, adam_kernel
from numerics.compiled.streams import key_of
from theory.inputs.whole_numbers import read_whole

__all__ = ["MatrixRun", "train_matrix"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MatrixRun:
    #: After the last step.
    M: Floats
    #: The squared error of each step, before it.
    losses: Floats
    #: M before the steps 0, every, 2 every, ..., (records, d, d).
    kept: Floats


def train_matrix(
    task: str = "affine",
    *,
    d: int,
    n: int,
    L: float = 1.0,
    sigma: float = 0.01,
    steps: int = 2000,
    lr: float = 0.1,
    decay: float = 0.999,
    queries: int | None = None,
    start: float = 0.001,
    softmax: bool = True,
    root: ArrayLike | str | None = None,
    directions: ArrayLike | None = None,
    normalised: bool = False,
    every: int = 10,
    seed: int = 0,
) -> MatrixRun:
    """Train M = W'W with Adam from W = start I, as Collins et al., Section 3.2 and Appendix J.

    With t = u'x, u a random unit vector and l, l_1, l_2, b uniform on [-L, L], a task is "affine"
    (l t + b), "relu" (l_1 t_+ + l_2 (-t)_+ + b), "cosine" (cos(L t)), "plane" (L t + 2), "square"
    ((L t)^2), "linear" (L t); or, on the circle, "phase" (cos(L angle - b) with b uniform on [-pi,
    pi]). It has n labelled tokens, label noise of standard deviation sigma, and floor(sqrt n)
    queries as in Appendix J.

    Covariates are root times a uniform unit vector; where ``root`` is "redrawn" every task has a
    root of its own with standard normal entries, and where ``normalised`` they are divided by their
    norms, as the non-isotropic ones of Section 3.2. u is ``directions`` (d, k) times a uniform unit
    vector, such as B for tasks of low rank. ``decay`` is the factor of the learning rate from one
    step to the next, ``every`` the steps between records of M. Without ``softmax`` the scores
    themselves weight the labels.
    """
    if task not in TASKS:
        raise ValueError(f"no class of tasks is called {task!r}; take one of {', '.join(TASKS)}")
    whole = [
        read_whole(k, v, "give a positive number", least=1)
        for k, v in (("d", d), ("n", n), ("steps", steps), ("every", every))
    ]
    d, n, steps, every = whole
    if d < 2:
        raise ValueError("d = 1 has two unit vectors only; attention windows on the sphere need d >= 2")
    asked = (
        math.isqrt(n)
        if queries is None
        else read_whole("queries", queries, "give a positive number", least=1)
    )
    if not (math.isfinite(L) and (L > 0 or (L == 0 and task == "phase"))):
        raise ValueError(f"L = {L} makes every task constant, and every M as good as any other; take L > 0")
    if task == "phase" and d != 2:
        raise ValueError(f"d = {d}: tasks of the angle are on the circle; take d = 2")
    if not (sigma >= 0 and lr > 0 and 0 < decay <= 1 and start != 0):
        raise ValueError(
            f"sigma = {sigma}, lr = {lr}, decay = {decay}, start = {start}: need >= 0, > 0, in (0, 1], not 0"
        )
    if isinstance(root, str) and root != "redrawn":
        raise ValueError(f"root is {root!r}; give a matrix, or 'redrawn' for one that is drawn for each task")
    redrawn = isinstance(root, str)
    A = np.eye(d) if root is None or isinstance(root, str) else np.array(root, dtype=float, order="C")
    D = np.eye(d) if directions is None else np.ascontiguousarray(directions, dtype=float)
    if (
        A.shape != (d, d)
        or D.ndim != 2
        or D.shape[0] != d
        or not np.isfinite(A).all()
        or not np.isfinite(D).all()
    ):
        raise ValueError(
            f"root has the shape {A.shape} and directions {D.shape}; they are d x d and d x k with d = {d}, "
            "finite"
        )
    W, losses = start * np.eye(d), np.zeros(steps)
    kept = np.zeros((-(-steps // every), d, d))
    model = (
        TASKS.index(task),
        n,
        asked,
        float(L),
        float(sigma),
        steps,
        float(lr),
        float(decay),
        bool(softmax),
        A,
        redrawn,
        D,
        bool(normalised),
    )
    done = adam_kernel()(W, *model, *key_of(seed), losses, every, kept)
    if done < steps:
        raise ValueError(f"the loss of step {done} is not finite; take a smaller lr than {lr}")
    return MatrixRun(W.T @ W, losses, kept)
