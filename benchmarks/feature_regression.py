"""Training of attention over finitely many features against NumPy and PyTorch, and finite prompts
against all prompts in NumPy and Monte Carlo prompts: `python -m benchmarks.feature_regression`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks._ratio import ratio
from benchmarks._torch import imported
from numerics import attention_descent
from theory import FeatureRegression, ReducedAttention
from theory.regression.features.prompts import enumerate_prompts

torch = imported()
#: Steps by the number of classes, long enough for a clock.
STEPS = {4: 20_000, 16: 5_000, 64: 400}
#: The relative error to which Monte Carlo prompts are to know the loss of finite prompts.
ACCURACY = 1e-3


def by_numpy(K: int, steps: int, eta: float) -> np.ndarray:
    """Gradient descent for orthonormal features, exchangeable tasks and population prompts, with
    every shortcut that this case has; a row for each query.
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


def all_prompts_by_numpy(V: np.ndarray, tasks: np.ndarray, N: int, steps: int, eta: float) -> np.ndarray:
    """Gradient descent over every prompt of N tokens, all prompts in one array: (prompts, classes,
    queries).
    """
    K = V.shape[1]
    p = np.full(K, 1 / K)
    counts, weights = enumerate_prompts(p, N)
    with np.errstate(divide="ignore"):
        logs = np.log(counts)[:, :, None]
    C, Q, one = tasks.T @ tasks / len(tasks), np.zeros((len(V), len(V))), np.eye(K)
    for _ in range(steps):
        S = V.T @ Q @ V + logs
        A = np.exp(S - S.max(axis=1, keepdims=True))
        A /= A.sum(axis=1, keepdims=True)
        B = C @ (one - A)
        H = np.tensordot(weights, A * (B - (A * B).sum(axis=1, keepdims=True)), axes=1) * p
        Q += eta * V @ H @ V.T
    return np.asarray(Q)


def prompts_by_numpy(K: int, N: int, z: float, prompts: int, rng: np.random.Generator) -> tuple[float, float]:
    """The loss at the score gap z from random prompts, and its standard error."""
    counts = rng.multinomial(N, np.full(K, 1 / K), size=prompts)
    raised = counts * np.where(np.arange(K) == 0, np.exp(z), 1.0)  # the query is of the first class
    A = raised / raised.sum(axis=1, keepdims=True)
    A[:, 0] -= 1
    losses = (A**2).sum(axis=1) / 2
    return float(losses.mean()), float(losses.std() / np.sqrt(prompts))


def run() -> None:
    """Print every ratio."""
    for K, steps in STEPS.items():
        problem, eta = FeatureRegression(np.eye(K), np.eye(K)), 1.0
        ours = partial(attention_descent, problem, eta, steps, records=[steps])
        end = ours().coefficients[-1]
        np.testing.assert_allclose(end, by_numpy(K, steps, eta).T, rtol=0, atol=1e-12 * steps)
        clock: Any = time.process_time
        print(f"descent, K = {K}, NumPy: {ratio(ours, partial(by_numpy, K, steps // 4, eta), share=1 / 4, clock=clock)}")
        if torch is not None:
            np.testing.assert_allclose(end, by_torch(K, steps, eta).T, rtol=0, atol=1e-12 * steps)
            print(f"descent, K = {K}, PyTorch: {ratio(ours, partial(by_torch, K, steps // 10, eta), share=1 / 10, clock=clock)}")
    rng, N, steps = np.random.default_rng(0), 6, 2000
    V, tasks = rng.standard_normal((3, 3)), rng.standard_normal((4, 3))
    ours = partial(attention_descent, FeatureRegression(V, tasks=tasks, prompt_length=N), 0.1, steps, records=[steps])
    theirs = partial(all_prompts_by_numpy, V, tasks, N, steps, 0.1)
    np.testing.assert_allclose(V @ ours().coefficients[-1] @ V.T, theirs(), rtol=1e-9)
    print(f"all prompts of 6 tokens, K = 3, NumPy: {ratio(ours, theirs, clock=time.process_time)}")
    K, N, z, drawn = 16, 4096, 3.0, 4000
    reduced = ReducedAttention(K, 1.0, prompt_length=N)
    loss, error = prompts_by_numpy(K, N, z, drawn, rng)
    exact = float(reduced.loss(z))
    assert abs(loss - exact) < 5 * error
    # So many more prompts would be needed, and time is proportional to them.
    share = (ACCURACY * exact / error) ** 2
    print(
        f"loss at K = 16, N = 4096, Monte Carlo prompts to 0.1 %: "
        f"{ratio(partial(reduced.loss, z), partial(prompts_by_numpy, K, N, z, drawn, rng), share=share, clock=time.perf_counter)}"
    )


if __name__ == "__main__":
    run()
