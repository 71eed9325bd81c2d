"""The plain reference against the definitions, differentiated by complex steps."""

import cmath

import numpy as np
import pytest

import numerics.training.full_tokens as full
from numerics.training.full_tokens import Prompts, draw_prompts, full_token_kernel, predictions
from numerics.training.parameters import Parameters, initial_parameters, pack, unpack


def loss_of_definition(theta: np.ndarray, attention: str, prompts: Prompts, scale: float) -> complex:
    """Mean of (T - y_q)² / 2, a prompt and a token at a time, for complex parameters too."""
    o, V, K, Q = unpack(theta)
    total = 0j
    for tokens, query, label in zip(*prompts):
        scores = [scale * sum((Q @ query) * (K @ z)) for z in tokens]
        weights = [s / len(tokens) for s in scores]
        if attention == "softmax":
            weights = [1 / sum(cmath.exp(other - s) for other in scores) for s in scores]
        total += (sum(w * sum(o * (V @ z)) for w, z in zip(weights, tokens)) - label) ** 2 / 2
    return total / len(prompts.labels)


@pytest.mark.parametrize("attention", ["softmax", "linear"])
@pytest.mark.parametrize(("d", "L"), [(1, 1), (2, 3), (3, 7)])
def test_loss_and_gradients_are_those_of_the_definition(attention, d, L):
    rng = np.random.default_rng(10 * d + L)
    theta, scale = 2 * pack(initial_parameters(d, seed=L)), 0.6
    prompts = draw_prompts(rng, 3, L, rng.standard_normal((d, d)), rng.standard_normal((d, d)), 0.7, 0.4)
    loss, gradient = full.full_token_step(unpack(theta), attention, prompts, scale)
    assert np.isclose(loss, loss_of_definition(theta, attention, prompts, scale).real, rtol=1e-13)
    derivatives = np.empty_like(theta)
    for entry in np.ndindex(theta.shape):
        moved = theta.astype(complex)
        moved[entry] += 1e-30j  # no difference is taken, so there is no rounding to trade against
        derivatives[entry] = loss_of_definition(moved, attention, prompts, scale).imag / 1e-30
    assert np.allclose(pack(gradient), derivatives, rtol=1e-11, atol=1e-13 * abs(derivatives).max())
    # and as differences: a step against the gradient lowers the loss by what it says
    step = 1e-6 / np.linalg.norm(derivatives)
    other, _ = full.full_token_step(unpack(theta - step * derivatives), attention, prompts, scale)
    assert np.isclose(loss - other, step * (derivatives**2).sum(), rtol=1e-3)


def test_prompts_have_the_moments_of_the_model():
    rng = np.random.default_rng(5)
    A, B, omega, tau = np.array([[1.0, 0.0], [0.5, 2.0]]), np.array([[0.5, 0.0], [1.0, 1.0]]), 0.8, 0.6
    prompts = draw_prompts(rng, 100_000, 2, A, B, omega, tau)
    (x, y), (x_other, y_other) = ((z[:, :2], z[:, 2]) for z in (prompts.tokens[:, 0], prompts.tokens[:, 1]))
    x_q, y_q = prompts.queries[:, :2], prompts.labels
    S, S_q, none = A @ A.T, B @ B.T, np.zeros((2, 2))
    outer = lambda a, b: a[:, :, None] * b[:, None, :]

    def worst(tau: float) -> float:
        """Of 35 deviations of sample moments from the model's, in standard errors."""
        pairs = [
            (outer(x, x), S),
            (outer(x_q, x_q), S_q),
            (outer(x, x_other), none),
            (outer(x, x_q), none),
            (y[:, None] * x, np.zeros(2)),
            (y**2, omega**2 * np.trace(S) + tau**2),
            (y_q**2, omega**2 * np.trace(S_q) + tau**2),
            (y * y_other, 0.0),
            # labels know each other through w: E y x x' y' = omega² S S, of two tokens and of token
            # and query
            (outer(y[:, None] * x, y_other[:, None] * x_other), omega**2 * S @ S),
            (outer(y[:, None] * x, y_q[:, None] * x_q), omega**2 * S @ S_q),
        ]
        return max(float((abs(v.mean(0) - truth) / (v.std(0) / np.sqrt(len(v)))).max()) for v, truth in pairs)

    assert worst(tau) < 6.5  # 35 normal deviations pass with probability 1 - 3e-9
    assert worst(0.5) > 6.5
    assert not prompts.queries[:, 2].any()


def test_symmetries_that_hold_for_any_parameters():
    rng, theta = np.random.default_rng(7), initial_parameters(3, seed=2)
    prompts = draw_prompts(rng, 4, 6, np.eye(3), np.eye(3), 1.0, 0.3)
    shuffled = prompts._replace(tokens=prompts.tokens[:, rng.permutation(6)])
    doubled = prompts._replace(tokens=np.repeat(prompts.tokens, 2, 1))
    for attention in ("softmax", "linear"):
        out = predictions(theta, attention, prompts, 0.5)
        assert np.allclose(out, predictions(theta, attention, shuffled, 0.5), rtol=1e-12)
        assert np.allclose(out, predictions(theta, attention, doubled, 0.5), rtol=1e-12)
        # only K'Q and V'o count: a change of basis in between changes nothing
        R = np.linalg.qr(rng.standard_normal((4, 4)))[0]
        turned = Parameters(R @ theta.O, R @ theta.V, R @ theta.K, R @ theta.Q)
        assert np.allclose(out, predictions(turned, attention, prompts, 0.5), rtol=1e-12)
        assert np.allclose(turned.U, theta.U)
        assert np.allclose(turned.b, theta.b)
    # scores of 1e5 neither overflow nor spread the weight: the highest score takes it all
    large = predictions(theta, "softmax", prompts, 1e5)
    best = ((prompts.tokens @ theta.K.T) @ (prompts.queries @ theta.Q.T)[..., None])[..., 0].argmax(1)
    assert np.allclose(large, prompts.tokens[np.arange(4), best] @ theta.b)


def test_the_reference_loop_does_the_steps_it_is_told():
    A, B = np.array([[1.0, 0.0], [0.5, 2.0]]), np.eye(2)
    start = pack(initial_parameters(2, seed=3))
    settings = (A, B, 0.7, 0.3, 0.5, 2.0, 5, 11, 12)
    for attention in ("softmax", "linear"):
        kernel, one, two = full_token_kernel(attention), start.copy(), start.copy()
        losses, none = np.empty(4), np.empty((0, 0))
        assert kernel(one, 3, 0, 4, 0.1, *settings, losses, none) == -1
        parts = [np.empty(1), np.empty(3)]
        kernel(two, 3, 0, 1, 0.1, *settings, parts[0], none)
        kernel(two, 3, 1, 3, 0.1, *settings, parts[1], none)
        assert np.array_equal(one, two)
        assert np.array_equal(losses, np.concatenate(parts))
        # at lr = 0 nothing moves and gradients add up; factor 2 of a step of 0.1 is in the step,
        # not in the gradient
        gradient, still = np.ones_like(start), start.copy()
        kernel(still, 3, 0, 1, 0.0, *settings, losses, gradient)
        kernel(moved := start.copy(), 3, 0, 1, 0.1, *settings, losses, none)
        assert np.array_equal(still, start)
        assert np.allclose(moved, start - 0.1 * 2 * (gradient - 1), rtol=1e-12)
    both = np.stack([start, start])
    kernel = full_token_kernel("coupled")
    assert kernel(both, 3, 0, 4, 0.1, *settings, np.empty((2, 4)), np.empty((0, 0, 0))) == -1
    assert np.array_equal(both[1], one)  # the linear one of the pair saw the same prompts as alone
    assert not np.array_equal(both[0], both[1])
