"""Attention against its definition, symmetries, limits, and gradients by differences."""

import numpy as np
import pytest

from tests.refusing import refusals
from theory.attention.layer import (
    gaussian_output,
    grad_K,
    grad_Q,
    grad_U,
    grad_V,
    linear_attention,
    softmax_attention,
    softmax_weights,
)

Floats = np.ndarray
SHAPES = [(1, 1, 1), (5, 1, 3), (1, 3, 2), (7, 3, 2), (4, 2, 4)]  # L, d, d_out


def setting(L, d, d_out):
    rng = np.random.default_rng([L, d, d_out])
    return rng.normal(size=(L, d)), rng.normal(size=d), rng.normal(size=(d, d)), rng.normal(size=(d_out, d))


def jacobian(f, M, step=1e-6):
    """Central differences: rounding 1e-16/step plus step^2 leaves about 1e-9."""
    columns = []
    for index in np.ndindex(M.shape):
        E = np.zeros(M.shape)
        E[index] = step
        columns.append((f(M + E) - f(M - E)) / (2 * step))
    return np.stack(columns, axis=-1).reshape(-1, *M.shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_output_is_the_ratio_of_the_definition(shape):
    Z, z, U, V = setting(*shape)
    score = lambda zk: sum(zk[i] * U[i, j] * z[j] for i, j in np.ndindex(U.shape))
    weights = [np.exp(score(zk)) for zk in Z]
    ratio = sum(w * (V @ zk) for w, zk in zip(weights, Z)) / sum(weights)
    np.testing.assert_allclose(softmax_attention(Z, z, U, V), ratio, rtol=1e-12, atol=1e-14)
    linear = sum((zk @ U @ z) * (V @ zk) for zk in Z) / len(Z)
    np.testing.assert_allclose(linear_attention(Z, z, U, V), linear, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_those_of_finite_differences(shape):
    Z, z, U, V = setting(*shape)
    K, Q = U, setting(*shape)[2] + 1
    differences = (
        (grad_V(Z, z, U, V), lambda M: softmax_attention(Z, z, U, M), V),
        (grad_U(Z, z, U, V), lambda M: softmax_attention(Z, z, M, V), U),
        (grad_K(Z, z, K, Q, V), lambda M: softmax_attention(Z, z, M.T @ Q, V), K),
        (grad_Q(Z, z, K, Q, V), lambda M: softmax_attention(Z, z, K.T @ M, V), Q),
    )
    for found, output, at in differences:
        np.testing.assert_allclose(found, jacobian(output, at), rtol=1e-7, atol=1e-8)


def test_key_and_query_may_have_fewer_rows_than_columns():
    Z, z, _, V = setting(6, 3, 2)
    K, Q = np.arange(6.0).reshape(2, 3) / 5, np.ones((2, 3)) / 3
    found = grad_K(Z, z, K, Q, V)
    assert found.shape == (2, 2, 3)
    slopes = jacobian(lambda M: softmax_attention(Z, z, M.T @ Q, V), K)
    np.testing.assert_allclose(found, slopes, rtol=1e-7, atol=1e-8)


def test_order_of_the_prompt_and_repetition_do_not_matter():
    Z, z, U, V = setting(7, 3, 2)
    once = softmax_attention(Z, z, U, V)
    np.testing.assert_allclose(softmax_attention(Z[::-1], z, U, V), once, rtol=1e-13)
    np.testing.assert_allclose(softmax_attention(np.vstack([Z, Z]), z, U, V), once, rtol=1e-13)
    np.testing.assert_allclose(grad_U(np.vstack([Z, Z]), z, U, V), grad_U(Z, z, U, V), rtol=1e-12, atol=1e-14)


def test_rotation_of_the_token_space():
    Z, z, U, V = setting(7, 3, 2)
    O = np.linalg.qr(np.arange(9.0).reshape(3, 3) + np.eye(3))[0]
    turned = softmax_attention(Z @ O.T, O @ z, O @ U @ O.T, V @ O.T)
    np.testing.assert_allclose(turned, softmax_attention(Z, z, U, V), rtol=1e-12)


def test_weights_do_not_see_a_shift_and_never_overflow():
    scores = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(softmax_weights(scores + 1e3), softmax_weights(scores), rtol=1e-12)
    for size in (1e4, 1e150, 1e307):
        weights = softmax_weights(size * scores)
        assert weights.tolist() == [1.0, 0.0, 0.0]
    assert softmax_weights([-1.5e308, 1.5e308]).tolist() == [0.0, 1.0]


def test_large_scores_select_one_token():
    Z, z, U, V = setting(7, 3, 2)
    winner = np.argmax(Z @ U @ z)
    np.testing.assert_allclose(softmax_attention(Z, z, 1e200 * U, V), V @ Z[winner], rtol=1e-14)
    assert not grad_U(Z, z, 1e200 * U, V).any()


def test_output_lies_in_the_image_of_the_convex_hull():
    Z, z, U, V = setting(7, 3, 2)
    for size in (0.0, 1.0, 1e3):
        for v, component in zip(V, softmax_attention(Z, z, size * U, V)):
            assert (Z @ v).min() - 1e-12 <= component <= (Z @ v).max() + 1e-12


def test_one_token_and_no_scores():
    Z, z, U, V = setting(1, 3, 2)
    np.testing.assert_array_equal(softmax_attention(Z, z, U, V), V @ Z[0])
    assert not grad_U(Z, z, U, V).any()
    Z = setting(7, 3, 2)[0]
    np.testing.assert_allclose(softmax_attention(Z, z, 0 * U, V), V @ Z.mean(axis=0), rtol=1e-13)
    spread = np.outer(np.cov(Z.T, bias=True) @ V[0], z)
    np.testing.assert_allclose(grad_U(Z, z, 0 * U, V)[0], spread, rtol=1e-12)


def test_limits_are_approached_by_a_gauss_hermite_prompt():
    """Each node as often as its weight says: nearly the Gaussian measure."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    counts = np.round(1e4 * weights / weights.sum()).astype(int)
    tokens = (1.5 + 0.5 * np.repeat(nodes, counts))[:, None]
    U, V, z = np.array([[0.7]]), np.array([[2.0]]), np.array([1.0])
    mean, second = tokens.mean(axis=0), tokens.T @ tokens / len(tokens)
    Gamma = second - np.outer(mean, mean)
    np.testing.assert_allclose(linear_attention(tokens, z, U, V), V @ second @ U @ z, rtol=1e-12)
    # rounding the weights to 1e-4 moves the tilted mean by less than 1e-3
    limit = gaussian_output(mean, Gamma, U, V, z)
    np.testing.assert_allclose(softmax_attention(tokens, z, U, V), limit, rtol=1e-3)
    np.testing.assert_allclose(grad_U(tokens, z, U, V)[0], np.outer(Gamma @ V[0], z), rtol=1e-2)


def test_softmax_and_linear_limits_agree_for_centred_gaussians_only():
    _, z, U, V = setting(1, 3, 2)
    Gamma = np.diag([1.0, 2.0, 0.0])
    zero, m = np.zeros(3), np.array([1.0, 0.0, -1.0])
    np.testing.assert_allclose(gaussian_output(zero, Gamma, U, V, z), V @ Gamma @ U @ z, rtol=1e-13)
    second = Gamma + np.outer(m, m)
    assert np.abs(gaussian_output(m, Gamma, U, V, z) - V @ second @ U @ z).max() > 0.1


GOOD = {"prompt": np.ones((4, 2)), "query": np.ones(2), "U": np.eye(2), "V": np.eye(2)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": np.ones(2)}, r"shape \(2,\), but \(L, d\) is needed; write it as prompt\[None"),
        ({"prompt": np.ones((0, 2))}, "prompt is empty"),
        ({"query": np.ones(3)}, r"query has shape \(3,\), but \(d,\) with d = 2 is needed, as prompt has it"),
        ({"U": np.ones((2, 3))}, r"U has shape \(2, 3\), but \(d, d\) with d = 2"),
        ({"V": np.ones(2)}, r"write it as V\[None, :\]"),
        ({"query": [np.nan, 0.0]}, "query has the entry nan"),
        ({"U": 1e308 * np.eye(2), "query": [100.0, 1.0]}, "the scores z_k'Uz overflow"),
    ],
)
@pytest.mark.parametrize("f", [softmax_attention, linear_attention, grad_U, grad_V])
def test_bad_input_is_named(f, change, message):
    with pytest.raises(ValueError, match=message):
        f(**GOOD | change)


test_entries_must_be_real_numbers = refusals(
    (lambda: softmax_attention(**GOOD | {"V": 1j * np.eye(2)}), "V must be an array of real numbers"),
    (lambda: softmax_weights("high"), "scores must be an array of real numbers"),
    error=TypeError,
)
