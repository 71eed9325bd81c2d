"""The obvious program in PyTorch, a baseline for benchmarks only: `pip install .[bench]`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def imported() -> Any:
    """PyTorch with one thread; None, said aloud, where it is not installed."""
    try:
        import torch
    except ImportError:
        print("PyTorch not installed, its baseline is left out: install .[bench]")
        return None
    torch.set_num_threads(1)
    return torch


def errors(
    Gamma: np.ndarray, U: np.ndarray, V: np.ndarray, z: np.ndarray, held: int
) -> Callable[[int, int], object] | None:
    """The mean squared errors of output, grad_V and grad_U as a function of (L, replicates); None
    without PyTorch.
    """
    torch = imported()
    if torch is None:
        return None
    real = lambda x: torch.from_numpy(np.asarray(x)).to(torch.float32)
    A, G, u, v, q = real(np.linalg.cholesky(Gamma)), real(Gamma), real(U), real(V), real(z)
    d, a = len(G), u @ q
    h = G @ a

    @torch.no_grad()
    def program(L: int, replicates: int) -> object:
        total, left = torch.zeros(3), replicates
        while left:
            n = min(left, max(1, held // L))
            tokens = torch.randn(n, L, d) @ A.T
            p = torch.softmax(tokens @ a, 1)
            m = (p[:, None] @ tokens)[:, 0]
            C = (tokens * p[:, :, None]).transpose(1, 2) @ tokens - m[:, :, None] * m[:, None]
            total[0] += ((m - h) @ v.T).square().sum()
            total[1] += d * (m - h).square().sum()
            total[2] += (v @ (C - G)).square().sum() * (q @ q)
            left -= n
        return total / replicates

    return program


def normals(n: int) -> Callable[[], object] | None:
    """n standard normals in float32; None without PyTorch."""
    torch = imported()
    if torch is None:
        return None
    x = torch.empty(n)
    return lambda: x.normal_()


def training(
    attention: str, L: int, *, d: int, batch: int, lr: float, noise: float
) -> Callable[[int], None] | None:
    """Steps of SGD on fresh prompts as a function of their number; None without PyTorch."""
    torch = imported()
    if torch is None:
        return None
    torch.manual_seed(0)
    layers = [torch.nn.Linear(d + 1, out, bias=False) for out in (1, d + 1, d + 1, d + 1)]
    O, V, K, Q = layers
    optimiser = torch.optim.SGD([layer.weight for layer in layers], lr=lr)

    def program(steps: int) -> None:
        for _ in range(steps):
            w = torch.randn(batch, d, 1) * d**-0.5
            x = torch.randn(batch, L + 1, d)
            y = x @ w + noise**0.5 * torch.randn(batch, L + 1, 1)
            tokens = torch.cat([x, y], 2)[:, :L]
            query = torch.cat([x[:, L:], torch.zeros(batch, 1, 1)], 2)
            scores = Q(query) @ K(tokens).transpose(1, 2)
            weights = torch.softmax(scores, -1) if attention == "softmax" else scores / L
            loss = 0.5 * (O(weights @ V(tokens))[:, 0, 0] - y[:, L, 0]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    return program


def matrix_training(n: int, *, d: int, queries: int, noise: float, lr: float) -> Callable[[int], None] | None:
    """Steps of Adam on tied M_K = M_Q with a fresh affine task each, as Appendix J of Collins et
    al. has it; None without PyTorch.
    """
    torch = imported()
    if torch is None:
        return None
    torch.manual_seed(0)
    W = torch.nn.Parameter(0.001 * torch.eye(d))
    optimiser = torch.optim.Adam([W], lr=lr)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.999)

    def program(steps: int) -> None:
        for _ in range(steps):
            x = torch.nn.functional.normalize(torch.randn(n + queries, d), dim=1)
            slope, offset = 2 * torch.rand(2) - 1
            f = slope * (x @ torch.nn.functional.normalize(torch.randn(d), dim=0)) + offset
            labels = f[:n] + noise * torch.randn(n)
            scores = (x[n:] @ W.T) @ (x[:n] @ W.T).T
            loss = (torch.softmax(scores, -1) @ labels - f[n:]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()

    return program


def window_losses(
    d: int, noise: float, step: float, held: Mapping[int, int]
) -> Callable[[object, int, float, int], None] | None:
    """Losses of windows for ReLU tasks, averaged over tasks and noise, at three widths about w.

    It is a function of (generator, n, w, batches), and None without PyTorch.
    """
    torch = imported()
    if torch is None:
        return None
    torch.manual_seed(0)

    def correlation(t: Any) -> Any:
        angle = torch.acos(t.clamp(-1, 1))
        return (1 + (torch.sin(angle) + (math.pi - angle) * t) / (math.pi * d)) / 3

    @torch.no_grad()
    def program(_: object, n: int, w: float, batches: int) -> None:
        for _ in range(batches):
            x = torch.nn.functional.normalize(torch.randn(held[n], n + 1, d, dtype=torch.float64), dim=2)
            tokens, t = x[:, :-1], (x[:, :-1] @ x[:, -1, :, None])[..., 0]
            scale = 2 * w * torch.tensor([1 - step, 1, 1 + step], dtype=torch.float64)
            weights = torch.softmax(scale[:, None] * t[:, None], dim=2)
            pairs = (weights * (weights @ correlation(tokens @ tokens.transpose(1, 2)))).sum(2)
            one = (weights * correlation(t)[:, None]).sum(2)
            (pairs - 2 * one + noise * weights.square().sum(2)).mean(0)

    return program
