"""The loss on the circle with a diagonal M: double sums, no attention, drawn prompts, a window."""

import numpy as np
import pytest

from numerics.attention.window.circle import circle_loss
from numerics.attention.window.loss import window_loss
from theory.attention.window.own_class import from_spectrum

FUNCTIONS = {"square": np.square, "plane": lambda t: t + 2, "cosine": lambda t: np.cos(4 * t)}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.0), (3.0, 0.0), (2.0, 5.0), (-2.0, 1.0)])
def test_two_tokens_by_a_double_sum(f, alpha, beta):
    assert callable(f)
    angles = 2 * np.pi * np.arange(96) / 96
    x, y = np.cos(angles), np.sin(angles)
    sums = []
    for q in (np.arange(32) + 0.5) * np.pi / 32:
        s = alpha * np.cos(q) * x + beta * np.sin(q) * y
        share = 1 / (1 + np.exp(s[None] - s[:, None]))  # of the first token
        mean = share * f(x)[:, None] + (1 - share) * f(x)[None]
        sums.append(np.mean((mean - f(np.cos(q))) ** 2 + 0.3 * (share**2 + (1 - share) ** 2)))
    assert circle_loss(alpha, beta, 2, f, 0.3) == pytest.approx(np.mean(sums), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_without_attention_it_is_the_loss_of_the_mean(n):
    variance = 1 / 8  # of cos^2
    assert circle_loss(0, 0, n, np.square, 0.2) == pytest.approx(variance + (variance + 0.2) / n, rel=1e-9)


def test_a_multiple_of_the_identity_has_the_loss_of_a_window():
    """The spectrum of cos^2 is 1/8 at degree 2; averaging over rotations changes nothing here."""
    for w, n, noise in ((1.0, 3, 0.0), (5.0, 10, 0.1), (8.0, 40, 0.01)):
        exact = float(window_loss(from_spectrum([0.0, 0.0, 0.125]), 2, n, w, noise).loss)
        assert circle_loss(2 * w, 2 * w, n, np.square, noise) == pytest.approx(exact, rel=1e-8)


def test_the_rules_agree():
    for alpha, beta, n in ((4.0, 1.0, 1), (10.0, 10.0, 10), (0.0, 12.0, 30)):
        one, two = (circle_loss(alpha, beta, n, np.cos, 0.1, rule=rule) for rule in ("trapezoid", "gauss"))
        assert one == pytest.approx(two, rel=1e-8)


def test_drawn_prompts_have_that_loss():
    """100000 prompts, 5 standard errors: an error probability of 6e-7."""
    rng = np.random.default_rng(5)
    angles, q = rng.uniform(0, 2 * np.pi, (100_000, 6)), rng.uniform(0, 2 * np.pi, 100_000)
    weights = np.exp(3 * np.cos(angles) * np.cos(q)[:, None] + 6 * np.sin(angles) * np.sin(q)[:, None])
    f = lambda angle: np.cos(4 * np.cos(angle))
    errors = (np.sum(weights * f(angles), axis=1) / weights.sum(axis=1) - f(q)) ** 2
    expected = circle_loss(3, 6, 6, FUNCTIONS["cosine"])
    assert errors.mean() == pytest.approx(expected, abs=5 * errors.std() / len(q) ** 0.5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((1.0, 1.0, 0), "n = 0"), ((np.nan, 1.0, 3), "finite"), ((1.0, 1.0, 3, np.cos, -1.0), "not negative")],
)
def test_bad_input_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        circle_loss(*(arguments if len(arguments) > 3 else (*arguments, np.cos)))
    with pytest.raises(ValueError, match="no rule is called"):
        circle_loss(1, 1, 2, np.cos, rule="simpson")
