"""Training over finitely many features (Li, Duan & Liang) against NumPy and PyTorch autograd:
`OMP_NUM_THREADS=1 python -m benchmarks.feature_regression`.

Steps of gradient descent on Q from 0, with orthonormal features, equally likely classes and tasks
of unit second moments, through `numerics.attention_descent`; float64 everywhere. NumPy writes the
gradient by hand into buffers that are allocated once; for finite prompts it holds every prompt (as
its numbers of tokens) in one array of shape (prompts, query, class), whose softmax is that of
scores plus logarithms of tokens. Last come the exact sums over the tokens of the query's class,
against the mean over drawn prompts, as numbers of tokens too, until its standard error is 0.1 %.
"""

import time
from functools import partial

import numpy as np

from benchmarks import _ratio, _torch
from numerics import attention_descent
from theory import FeatureRegression, ReducedAttention

ETA = 0.5
#: Steps of the compiled loop, of NumPy and of PyTorch by K: some tens of milliseconds each.
STEPS = {4: (800_000, 8000, 800), 16: (160_000, 4000, 400), 64: (8000, 2000, 400)}
TOKENS, CLASSES, DRAWN, SUMS = 4096, 16, 20_000, 1000

ratio = partial(_ratio.ratio, clock=time.process_time)


def problem(K: int, N: int | None = None) -> FeatureRegression:
    return FeatureRegression(np.eye(K), np.eye(K), prompt_length=N)


def compiled(given: FeatureRegression, steps: int) -> np.ndarray:
    """Q' after these steps."""
    return attention_descent(given, ETA, steps, records=[steps]).Q[0].T


def population(K: int, steps: int) -> np.ndarray:
    """The same in NumPy, a row for each query."""
    Q, I, A, D, of_row = np.zeros((K, K)), np.eye(K), np.empty((K, K)), np.empty((K, K)), np.empty((K, 1))
    for _ in range(steps):
        np.max(Q, axis=1, keepdims=True, out=of_row)
        np.subtract(Q, of_row, out=A)
        np.exp(A, out=A)
        np.sum(A, axis=1, keepdims=True, out=of_row)
        A /= of_row
        np.subtract(I, A, out=D)
        np.einsum("km,km->k", A, D, out=of_row[:, 0])
        D -= of_row
        D *= A
        D *= ETA / K
        Q += D
    return Q


def every_prompt(given: FeatureRegression, steps: int) -> np.ndarray:
    """The same for finite prompts, all at once."""
    K, (tokens, weights) = given.K, given.prompts
    with np.errstate(divide="ignore"):
        logs = np.log(tokens)[:, None, :]
    Q, I, A, D = np.zeros((K, K)), np.eye(K), np.empty((len(logs), K, K)), np.empty((len(logs), K, K))
    H, of_row, weights = np.empty(K * K), np.empty((len(logs), K, 1)), weights * (ETA / K)
    for _ in range(steps):
        np.add(logs, Q, out=A)
        np.max(A, axis=2, keepdims=True, out=of_row)
        A -= of_row
        np.exp(A, out=A)
        np.sum(A, axis=2, keepdims=True, out=of_row)
        A /= of_row
        np.subtract(I, A, out=D)
        np.einsum("nkm,nkm->nk", A, D, out=of_row[:, :, 0])
        D -= of_row
        D *= A
        np.dot(weights, D.reshape(-1, K * K), out=H)
        Q += H.reshape(K, K)
    return Q


def exact_losses(reduced: ReducedAttention, z: float) -> None:
    for _ in range(SUMS):
        reduced.loss(z)


def drawn_losses(rng: np.random.Generator, z: float, n: int) -> np.ndarray:
    """The losses of n prompts at the score gap z."""
    shares = rng.multinomial(TOKENS, np.full(CLASSES, 1 / CLASSES), size=n) / TOKENS
    shares[:, 0] *= np.exp(z)
    shares /= shares.sum(axis=1, keepdims=True)
    others = shares[:, 1:]
    return (others.sum(axis=1) ** 2 + np.einsum("nm,nm->n", others, others)) / 2


if __name__ == "__main__":
    for K, (ours, theirs, few) in STEPS.items():
        given = problem(K)
        assert abs(compiled(given, theirs) - population(K, theirs)).max() < 1e-12
        run = partial(compiled, given, ours)
        print(f"K = {K:2d}, NumPy: {ratio(run, partial(population, K, theirs), share=theirs / ours)} for {ours} steps", flush=True)
        in_torch = _torch.descent(K, ETA)
        if in_torch is not None:
            measured = ratio(run, partial(in_torch, few), share=few / ours)
            print(f"K = {K:2d}, PyTorch: {measured} for {ours} steps", flush=True)
    given, ours, theirs = problem(3, 6), 400_000, 4000
    assert abs(compiled(given, theirs) - every_prompt(given, theirs)).max() < 1e-12
    measured = ratio(partial(compiled, given, ours), partial(every_prompt, given, theirs), share=theirs / ours)
    print(f"K = 3, every prompt of 6 tokens, NumPy: {measured} for {ours} steps", flush=True)
    rng, reduced = np.random.default_rng(1), ReducedAttention(CLASSES, 1.0, prompt_length=TOKENS)
    for z in (2.7, 10.0):  # in the middle of training, and late
        losses = drawn_losses(rng, z, DRAWN)
        n = int((1e3 * losses.std() / losses.mean()) ** 2)
        assert abs(losses.mean() / reduced.loss(z) - 1) < 5 * losses.std() / losses.mean() / DRAWN**0.5
        measured = ratio(partial(exact_losses, reduced, z), partial(drawn_losses, rng, z, n), share=1 / SUMS)
        print(
            f"K = {CLASSES}, N = {TOKENS}, exact loss at z = {z} against {n} prompts in NumPy: {measured} for {SUMS} sums",
            flush=True,
        )
