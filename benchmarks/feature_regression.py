"""Training of attention over finitely many features against NumPy and PyTorch, and finite prompts
against all prompts in NumPy and Monte Carlo prompts: `python -m benchmarks.feature_regression`.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks._ratio import ratio
from benchmarks._torch import imported
from numerics import attention_descent
from theory import FeatureRegression, ReducedAttention
from theory.regression.features.prompts import enumerate_prompts

torch = imported()
#: Steps by the number of classes, and the part of them that others do.
STEPS = {4: (400_000, 100), 16: (100_000, 40), 64: (8000, 10), 1024: (512, 256)}
#: The relative error to which Monte Carlo prompts are to know the loss of finite prompts.
ACCURACY = 1e-3
#: So many exact sums take as long as a clock needs.
SUMS = 1000


def by_numpy(V: np.ndarray, C: np.ndarray, steps: int, eta: float) -> np.ndarray:
    """Gradient descent on Q for population prompts, as the formula of the gradient stands."""
    K = V.shape[1]
    p, Q, one = np.full((K, 1), 1 / K), np.zeros((len(V), len(V))), np.eye(K)
    for _ in range(steps):
        S = V.T @ Q @ V
        A = p * np.exp(S - S.max(axis=0))
        A /= A.sum(axis=0)
        B = C @ (one - A)
        Q += eta / K * (V @ (A * (B - (A * B).sum(axis=0))) @ V.T)
    return np.asarray(Q)


def by_short_numpy(K: int, steps: int, eta: float) -> np.ndarray:
    """The same for orthonormal features and exchangeable tasks, without any product of matrices; a
    row for each query.
    """
    W, tasks = np.zeros((K, K)), np.eye(K)
    for _ in range(steps):
        A = np.exp(W - W.max(axis=1, keepdims=True))
        A /= A.sum(axis=1, keepdims=True)
        B = tasks - A
        W += eta / K * A * (B - (A * B).sum(axis=1, keepdims=True))
    return W


def by_torch(K: int, steps: int, eta: float) -> np.ndarray:
    """The same by automatic differentiation."""
    Q, tasks = torch.zeros((K, K), dtype=torch.float64, requires_grad=True), torch.eye(K, dtype=torch.float64)
    for _ in range(steps):
        errors = tasks - torch.softmax(Q, dim=1)
        loss = (errors**2).sum() / (2 * K)
        (gradient,) = torch.autograd.grad(loss, Q)
        with torch.no_grad():
            Q -= eta * gradient
    return np.asarray(Q.detach().numpy())


def all_prompts_by_numpy(
    V: np.ndarray, C: np.ndarray, N: int, steps: int, eta: float, at_once: bool
) -> np.ndarray:
    """Gradient descent over every prompt of N tokens: all in one array (prompts, classes, queries),
    or one prompt after the other.
    """
    K = V.shape[1]
    counts, weights = enumerate_prompts(np.full(K, 1 / K), N)
    with np.errstate(divide="ignore"):
        logs = np.log(counts)[:, :, None]
    Q, one = np.zeros((len(V), len(V))), np.eye(K)
    parts = [slice(None)] if at_once else [slice(n, n + 1) for n in range(len(counts))]
    for _ in range(steps):
        scores, H = V.T @ Q @ V, np.zeros((K, K))
        for part in parts:
            S = scores + logs[part]
            A = np.exp(S - S.max(axis=1, keepdims=True))
            A /= A.sum(axis=1, keepdims=True)
            B = C @ (one - A)
            H += np.tensordot(weights[part], A * (B - (A * B).sum(axis=1, keepdims=True)), axes=1)
        Q += eta / K * (V @ H @ V.T)
    return np.asarray(Q)


def exact_losses(reduced: ReducedAttention, z: float) -> None:
    for _ in range(SUMS):
        reduced.loss(z)


def prompts_by_numpy(
    K: int, N: int, z: float, prompts: int, rng: np.random.Generator, tokens: bool
) -> tuple[float, float]:
    """The loss at the score gap z from random prompts, and its standard error; tokens are drawn one
    by one, or only their numbers by class.
    """
    p = np.full(K, 1 / K)
    if tokens:
        counts = np.stack([np.bincount(rng.integers(K, size=N), minlength=K) for _ in range(prompts)])
    else:
        counts = rng.multinomial(N, p, size=prompts)
    raised = counts * np.where(np.arange(K) == 0, np.exp(z), 1.0)  # the query is of the first class
    A = raised / raised.sum(axis=1, keepdims=True)
    A[:, 0] -= 1
    losses = (A**2).sum(axis=1) / 2
    return float(losses.mean()), float(losses.std() / np.sqrt(prompts))


def run() -> None:
    """Print every ratio."""
    said: Any = partial(ratio, clock=time.process_time)
    for K, (steps, part) in STEPS.items():
        V = np.eye(K)
        ours = partial(attention_descent, FeatureRegression(V, V), 1.0, steps, records=[steps])
        others = {"NumPy": partial(by_numpy, V, V), "NumPy without products": partial(by_short_numpy, K)}
        others |= {} if torch is None else {"PyTorch": partial(by_torch, K)}
        end = attention_descent(FeatureRegression(V, V), 1.0, steps // part).coefficients[-1]
        for name, other in others.items():
            found = other(steps // part, 1.0)
            np.testing.assert_allclose(end, found if name == "NumPy" else found.T, rtol=0, atol=1e-12)
            print(
                f"descent, K = {K}, {name}: {said(ours, partial(other, steps // part, 1.0), share=1 / part)}"
            )
    rng, N, steps = np.random.default_rng(0), 6, 200_000
    V, tasks = rng.standard_normal((3, 3)), rng.standard_normal((4, 3))
    ours = partial(
        attention_descent, FeatureRegression(V, tasks=tasks, prompt_length=N), 0.1, steps, records=[steps]
    )
    for name, at_once in (("prompt by prompt", False), ("in one array", True)):
        theirs = partial(all_prompts_by_numpy, V, tasks.T @ tasks / len(tasks), N, steps // 500, 0.1, at_once)
        short = attention_descent(
            FeatureRegression(V, tasks=tasks, prompt_length=N), 0.1, steps // 500
        ).coefficients[-1]
        np.testing.assert_allclose(V @ short @ V.T, theirs(), rtol=1e-9)
        print(f"all prompts of 6 tokens, K = 3, NumPy {name}: {said(ours, theirs, share=1 / 500)}")
    K, N, drawn = 16, 4096, 2000
    reduced = ReducedAttention(K, 1.0, prompt_length=N)
    ways = {"every token drawn": True, "numbers drawn": False}
    for z, (name, tokens) in product((2.7, 10.0), ways.items()):  # in the middle of training, and late
        exact = float(reduced.loss(z))
        loss, error = prompts_by_numpy(K, N, z, drawn, rng, tokens)
        assert abs(loss - exact) < 5 * error
        # So many more prompts would be needed, and time is proportional to them.
        share = (ACCURACY * exact / error) ** 2 / SUMS
        theirs = partial(prompts_by_numpy, K, N, z, drawn, rng, tokens)
        measured = said(partial(exact_losses, reduced, z), theirs, share=share)
        print(f"loss at K = 16, N = 4096, z = {z}, prompts to 0.1 %, {name}: {measured}")


if __name__ == "__main__":
    run()
