"""The best window of ReLU tasks against Monte Carlo, one thread each:
`OMP_NUM_THREADS=1 python -m benchmarks.attention_window`.

Collins et al. with d = 5, L = 1, sigma = .1. Monte Carlo draws tokens and query, averages over
tasks and noise exactly, and compares three widths about the minimum on common random numbers, which
is the last step of a search. The prompts that it needs for a standard error of w* of 0.1 % or 1 %
come from a pilot run; it does a share of them, and its time is scaled up. R13 is written plainly in
NumPy with 800 nodes and 80 degrees, and does a tenth of the widths.
"""

import math
from functools import partial

import numpy as np

from benchmarks import _torch
from benchmarks._ratio import ratio
from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from theory.attention.window.classes import Spectrum, affine, relu

D, NOISE = 5, 0.01
#: Relative distance of the three widths and prompts held at once by length.
STEP, HELD = 0.05, {200: 100, 2000: 2}
#: Of a spectrum in the plain loss.
DEGREES = 80


def correlation(t: np.ndarray) -> np.ndarray:
    """The mean of f(x) f(y) over ReLU tasks with L = 1, at t = x'y."""
    t = np.clip(t, -1, 1)
    angle = np.arccos(t)
    return (1 + (np.sin(angle) + (np.pi - angle) * t) / (np.pi * D)) / 3


def losses(rng: np.random.Generator, n: int, prompts: int, w: float) -> np.ndarray:
    """Losses of prompts at w (1 - STEP), w and w (1 + STEP), averaged over tasks and noise."""
    x = rng.standard_normal((prompts, n + 1, D))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    tokens, t = x[:, :-1], np.matmul(x[:, :-1], x[:, -1, :, None])[..., 0]
    among, to_query = correlation(np.matmul(tokens, np.swapaxes(tokens, 1, 2))), correlation(t)
    scores = np.array([1 - STEP, 1, 1 + STEP])[:, None, None] * 2 * w * (t - t.max(axis=1, keepdims=True))
    weights = np.exp(scores)
    weights /= weights.sum(axis=2, keepdims=True)
    by_prompt = np.moveaxis(weights, 0, 1)
    pairs = np.sum(by_prompt * np.matmul(by_prompt, among), axis=2)
    one = np.sum(by_prompt * to_query[:, None], axis=2)
    return pairs - 2 * one + (1 + 1 / D) / 3 + NOISE * np.sum(by_prompt**2, axis=2)


def prompts_needed(n: int, w: float, share: float) -> int:
    """Prompts until the standard error of the minimum is so large a share of it."""
    pilot = np.concatenate([losses(np.random.default_rng(k), n, HELD[n], w) for k in range(12)])
    slope, bend = (
        (pilot[:, 2] - pilot[:, 0]) / (2 * STEP),
        np.mean(pilot[:, 2] - 2 * pilot[:, 1] + pilot[:, 0]) / STEP**2,
    )
    return math.ceil((slope.std() / bend / share) ** 2)


def monte_carlo(rng: np.random.Generator, n: int, w: float, batches: int) -> None:
    for _ in range(batches):
        losses(rng, n, HELD[n], w).mean(axis=0)


if __name__ == "__main__":
    rng = np.random.default_rng(7)
    for n, shares in ((200, (0.001, 0.01)), (2000, (0.001,))):
        ours = partial(optimal_window, relu(1), D, n, NOISE)
        w = ours().w
        for share in shares:
            batches = math.ceil(prompts_needed(n, w, share) / HELD[n])
            done = min(batches, 5)
            for name, program in (
                ("NumPy", monte_carlo),
                ("PyTorch", _torch.window_losses(D, NOISE, STEP, HELD)),
            ):
                if program is None:
                    continue
                seen = ratio(ours, partial(program, rng, n, w, done), repeats=5, share=done / batches)
                print(f"w* of ReLU tasks, n = {n}, to {share:.1%}: {name} {seen}", flush=True)
    widths = np.geomspace(0.1, 100, 60)
    for tasks in (affine(1), relu(1)):
        exact = partial(window_loss, tasks, D, 10**5, widths, NOISE)
        spectrum = Spectrum(D, tasks.spectrum(D, DEGREES).b)
        plain = lambda spectrum=spectrum: [plain_window_loss(spectrum, 10**5, w, NOISE) for w in widths[::10]]
        print(
            f"60 widths at n = 100000, {tasks.name} tasks: R13 in NumPy {ratio(exact, plain, share=0.1)}",
            flush=True,
        )
