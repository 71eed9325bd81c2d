"""Tasks of low rank: the blocks of M, the two parts of the loss for signs, and what is refused."""

import itertools

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.attention.window.low_rank import (
    blocks,
    d_ab,
    gamma_ab,
    h_ab,
    noise_of_signs,
    polynomial_66,
    score_blocks,
    signal_of_signs,
)

RNG = np.random.default_rng(3)
Q = np.linalg.qr(RNG.standard_normal((4, 4)))[0]
B = Q[:, :2]
M = (lambda z: z + z.T)(RNG.standard_normal((4, 4)))


def test_blocks_keep_the_norm_and_change_with_rotations_of_B_as_a_basis_does():
    found = blocks(M, B)
    total = (found.inside**2).sum() + 2 * (found.across**2).sum() + (found.outside**2).sum()
    assert total == pytest.approx((M**2).sum())
    turned = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert blocks(M, B @ turned).inside == pytest.approx(turned.T @ found.inside @ turned)


def test_scores_are_those_of_the_blocks():
    """x_i'Mx by the definition of Assumption 4.3, against the blocks."""
    c_u, c_v = -1.5, 0.4
    perp = np.linalg.svd(B, full_matrices=True)[0][:, 2:]
    u, v, u_i, v_i = RNG.standard_normal((4, 2))
    x, x_i = c_u * B @ u + c_v * perp @ v, c_u * B @ u_i + c_v * perp @ v_i
    s = score_blocks(M, B, c_u, c_v)
    score = u_i @ (s.inside @ u + s.across @ v) + v_i @ (s.across.T @ u + s.outside @ v)
    assert score == pytest.approx(x_i @ M @ x)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_parts_of_the_loss_are_means_over_signs(n):
    alpha, c = [1.0, 0.3, 2.0][:n], 0.7
    signal = noise = 0.0
    for u, *tokens in itertools.product((1, -1), repeat=n + 1):
        w = np.array([a * np.exp(c * t * u) for a, t in zip(alpha, tokens)])
        w /= w.sum()
        signal += (w @ np.array(tokens) - u) ** 2 / 2 ** (n + 1)
        noise += (w**2).sum() / 2 ** (n + 1)
    assert float(signal_of_signs(alpha, np.exp(c))) == pytest.approx(signal)
    assert float(noise_of_signs(alpha, np.exp(c))) == pytest.approx(noise)


def test_equal_weights_far_apart_leave_the_tokens_of_the_right_sign():
    """c -> oo: the error is 2 if no token has the sign of u, and the noise that of the nearest."""
    y = sp.Integer(10) ** 12
    assert float(signal_of_signs([1, 1], y)) == pytest.approx(4 / 4)
    assert float(noise_of_signs([1, 1], y)) == pytest.approx((0.5 + 1 + 1 + 0.5) / 4)


def test_the_polynomial_is_P_of_the_definition_at_numbers():
    """(65) from (61) in numbers, with the exponentials as they are."""
    a, b, c, alpha = 0.8, -0.3, 0.9, 0.35
    p, q = np.exp(c * a), np.exp(c * b)
    root = np.sqrt(h_ab(p, p, 1, alpha) * h_ab(q, q, 1, alpha))
    left = h_ab(p, q, 1, alpha) + h_ab(q, p, 1, alpha) + root
    y = sp.Symbol("y", positive=True)
    al = sp.Symbol("alpha", positive=True)
    value = float(polynomial_66(al, y).subs({y: p / q, al: alpha})) * (1 - alpha)
    denominators = d_ab(p, q, 1, alpha) ** 3 * d_ab(q, p, 1, alpha) ** 3 * (1 + alpha) ** 3
    assert value * q**6 == pytest.approx(left * denominators)


def test_gamma_is_a_product_of_distances_to_the_ends():
    a, b = sp.Rational(1, 3), sp.Rational(-1, 5)
    assert gamma_ab(a, b) == (1 + a) * (1 - b)
    assert gamma_ab(-1, b) == 0 == gamma_ab(a, 1)


I, E1 = np.eye(2), np.eye(2)[:, :1]
test_bad_matrices_and_scales_are_refused_in_the_words_of_the_paper = refusals(
    (lambda: blocks(np.ones((2, 3)), E1), "square"),
    (lambda: blocks(np.array([[0.0, 1.0], [0.0, 0.0]]), E1), "symmetric.*M = M'"),
    (lambda: blocks(np.array([[1e-12, 1e-12], [0.0, 0.0]]), E1), "symmetric.*M = M'"),
    (lambda: blocks(np.full((2, 2), np.nan), E1), "symmetric"),
    (lambda: blocks(I, np.array([[1.0], [1.0]])), "orthonormal.*qr"),
    (lambda: blocks(I, I), "1 <= k < d"),
    (lambda: blocks(I, np.eye(3)[:, :1]), "does not fit d = 2"),
    (lambda: score_blocks(I, E1, 0.0, 1.0), "c_u != 0"),
    (lambda: score_blocks(I, E1, 1.0, np.inf), "not finite"),
)
