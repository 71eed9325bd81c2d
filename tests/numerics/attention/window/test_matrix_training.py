"""Adam on M: gradients by differences and NumPy, Adam's own steps, and the minimiser it finds."""

import numpy as np
import pytest

from numerics.attention.window.adam_kernel import loss_kernel
from numerics.attention.window.free_matrix import drawn_prompts, loss_and_gradient
from numerics.attention.window.matrix_training import train_matrix

RNG = np.random.default_rng(2)


def prompt(d: int, n: int, queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Tokens and queries as the kernel reads them: padded to multiples of eight."""
    padded = -(-n // 8) * 8
    x = np.zeros((d, padded + -(-queries // 8) * 8))
    x[:, :n] = RNG.standard_normal((d, n))
    x[:, padded : padded + queries] = RNG.standard_normal((d, queries))
    y = np.zeros(padded)
    y[:n] = RNG.standard_normal(n)
    return x, y, RNG.standard_normal(queries), padded


def plain_loss(M, x, y, n, labels, padded, softmax):
    queries = x[:, padded : padded + len(labels)]
    weights = x[:, :n].T @ M @ queries
    if softmax:
        weights = np.exp(weights - weights.max(axis=0))
        weights /= weights.sum(axis=0)
    return float(((y[:n] @ weights - labels) ** 2).mean())


@pytest.mark.parametrize(("d", "n", "queries"), [(2, 1, 1), (3, 5, 2), (5, 20, 4), (4, 16, 9)])
@pytest.mark.parametrize("softmax", [True, False])
def test_loss_and_gradient_are_those_of_numpy(d, n, queries, softmax):
    x, y, labels, padded = prompt(d, n, queries)
    M, G, step = RNG.standard_normal((d, d)), np.zeros((d, d)), 1e-6
    loss = loss_kernel()(M, x, y, n, labels, softmax, G)
    assert loss == pytest.approx(plain_loss(M, x, y, n, labels, padded, softmax), rel=1e-12)
    for i, j in np.ndindex(d, d):
        e = np.zeros((d, d))
        e[i, j] = step
        up, down = (plain_loss(M + s * e, x, y, n, labels, padded, softmax) for s in (1, -1))
        assert G[i, j] == pytest.approx((up - down) / (2 * step), abs=1e-6 * max(1, abs(loss)))


def test_large_scores_stay_finite():
    x, y, labels, padded = prompt(3, 6, 2)
    loss = loss_kernel()(1e4 * np.eye(3), x, y, 6, labels, True, np.zeros((3, 3)))
    assert loss == pytest.approx(plain_loss(1e4 * np.eye(3), x, y, 6, labels, padded, True))


def test_the_first_steps_of_adam_have_the_length_of_the_learning_rate():
    run = train_matrix("affine", d=3, n=30, steps=2, lr=0.01, start=0.5, every=1, seed=4)
    W_0, M_1 = 0.5 * np.eye(3), run.kept[1]
    moved = [W_0 + 0.01 * (2 * np.array(signs).reshape(3, 3) - 1) for signs in np.ndindex(*(2,) * 9)]
    # Adam adds 1e-8 to the length of each entry of the gradient, which shortens the smallest of
    # them.
    assert min(np.abs(W.T @ W - M_1).max() for W in moved) < 1e-4


def test_a_seed_gives_one_run_and_another_seed_another():
    runs = [train_matrix("relu", d=3, n=10, steps=50, seed=s).M for s in (7, 7, 8)]
    assert (runs[0] == runs[1]).all()
    assert not np.allclose(runs[0], runs[2])


def test_it_finds_the_minimiser_of_the_population_loss():
    """Affine tasks, d = 3, n = 10: the trace of M against descent on drawn prompts."""
    run = train_matrix("affine", d=3, n=10, sigma=0.3, steps=30_000, lr=0.05, decay=0.9998, seed=1)

    def draw(m: int) -> np.ndarray:
        z = np.random.default_rng(6).standard_normal((m, 3))
        return z / np.linalg.norm(z, axis=1, keepdims=True)

    prompts = drawn_prompts(draw, 10, 20_000, lambda x, y: 1 / 3 + (x * y).sum(-1) / 9)
    grid = np.linspace(0.5, 6, 56)
    losses = [loss_and_gradient(c * np.eye(3), prompts, 0.3)[0] for c in grid]
    best = grid[int(np.argmin(losses))]
    assert np.trace(run.M) / 3 == pytest.approx(best, rel=0.1)
    off = run.M - np.trace(run.M) / 3 * np.eye(3)
    assert np.abs(off).max() < 0.2 * best
    assert run.losses[-2000:].mean() == pytest.approx(min(losses), rel=0.1)


def test_tasks_of_low_rank_leave_the_spurious_part_small():
    B = np.eye(4)[:, :2]
    run = train_matrix("plane", d=4, n=30, steps=6000, lr=0.05, directions=B, seed=3)
    assert np.linalg.norm(run.M[2:, 2:]) < 0.3 * np.linalg.norm(run.M[:2, :2])


def test_non_isotropic_covariates_on_the_sphere_have_norm_one():
    """With one token the estimate is its label; square tasks differ by squares of a coordinate."""
    root, tasks = np.diag([1.0, 3.0]), dict(directions=np.eye(2)[:, :1], normalised=True)
    run = train_matrix("square", d=2, n=1, sigma=0.0, steps=20_000, lr=1e-9, root=root, **tasks)
    z = np.random.default_rng(0).standard_normal((200_000, 2)) @ root
    square = z[:, 0] ** 2 / (z**2).sum(axis=1)
    assert run.losses.mean() == pytest.approx(2 * square.var(), rel=0.05)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (dict(task="cubic"), "no class of tasks"),
        (dict(task="phase"), "take d = 2"),
        (dict(d=1), "d >= 2"),
        (dict(L=0.0), "take L > 0"),
        (dict(lr=0.0), "lr = 0.0"),
        (dict(root=np.eye(2)), "root has the shape"),
        (dict(root="own"), "redrawn"),
    ],
)
def test_bad_input_is_refused_in_words(numbers, words):
    with pytest.raises(ValueError, match=words):
        train_matrix(**{"d": 3, "n": 4, "steps": 5, **numbers})


def test_phases_without_a_linear_part_do_not_leave_the_start():
    """cos(6 angle - b) has its minimum behind a barrier; the linear cos(angle - b) has none."""
    flat, steep = (
        train_matrix("phase", d=2, n=20, L=nu, sigma=0.1, steps=3000, lr=0.01, seed=1) for nu in (1.0, 6.0)
    )
    assert np.linalg.norm(steep.M, 2) < 0.5 < 5 < np.linalg.norm(flat.M, 2)


def test_constant_phases_leave_nothing_but_their_spread():
    """cos(b), b uniform, has the mean square 1/2, which linear attention cannot learn."""
    softmax, linear = (
        train_matrix("phase", d=2, n=10, L=0.0, sigma=0.1, steps=4000, lr=0.001, seed=2, softmax=s).losses
        for s in (True, False)
    )
    assert softmax.mean() == pytest.approx(0.001, rel=0.2)
    assert linear.mean() == pytest.approx(0.5, rel=0.1)


def test_redrawn_roots_are_as_good_in_every_direction():
    fixed = np.diag([1.0, 2.0, 6.0])
    numbers = dict(d=3, n=20, sigma=0.1, steps=20_000, lr=0.01, decay=0.9998, normalised=True, seed=3)
    redrawn, other = (
        np.linalg.eigvalsh(train_matrix("affine", root=root, **numbers).M) for root in ("redrawn", fixed)
    )
    assert redrawn[-1] < 1.25 * redrawn[0]
    assert other[-1] > 1.5 * other[0]
    assert (fixed == np.diag([1.0, 2.0, 6.0])).all()
