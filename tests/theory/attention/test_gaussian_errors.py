"""Exact errors for Gaussian tokens against integration over two tokens; limits in s and L."""

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.attention.gaussian_errors import (
    P2_slope,
    covariance_of_mean_token,
    gaussian_bias,
    gaussian_second_moment,
    limit_of_grad_U_error,
    limit_of_output_error,
    softmax_covariance_bias,
    theorem_A,
)
from theory.attention.softmax_covariance import (
    GRAD_U_MOMENTS,
    softmax_covariance_second_moment,
    spread_moments,
)

GAMMA = np.array([[1.0, 0.3], [0.3, 0.5]])
U = np.array([[0.5, -0.2], [0.1, 0.4]])
V = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, -1.0]])
Z = np.array([0.8, -0.6])
H = GAMMA @ U @ Z
S = float(Z @ U.T @ H)
T, Q_ = float(np.trace(V @ GAMMA @ V.T)), float((V @ H) @ (V @ H))


def two_token_prompts():
    """A product rule for two iid N(0, Gamma) tokens: (n, 2, 2) prompts and their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)
    weights = weights / weights.sum()
    g = np.stack([x.ravel() for x in np.meshgrid(*[nodes] * 4, indexing="ij")], axis=1)
    w = np.prod(np.meshgrid(*[weights] * 4, indexing="ij"), axis=0).ravel()
    return g.reshape(-1, 2, 2) @ np.linalg.cholesky(GAMMA).T, w


@pytest.fixture(scope="module")
def two():
    """Moments of weights, output, mean token and softmax covariance at L = 2, by definition."""
    prompts, w = two_token_prompts()
    scores = prompts @ (U @ Z)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = p / p.sum(axis=1, keepdims=True)
    mean = np.einsum("nk,nkd->nd", p, prompts)
    centred = prompts - mean[:, None, :]
    pi2, pi3 = (p**2).sum(axis=1), (p**3).sum(axis=1)
    return {
        "P2": w @ pi2,
        "P3": w @ pi3,
        "Q": w @ pi2**2,
        "mean": w @ mean,
        "outer": np.einsum("n,ni,nj->ij", w, mean - H, mean - H),
        "C": np.einsum("n,nk,nki,nkj->ij", w, p, centred, centred),
        "error": w @ (((mean - H) @ V.T) ** 2).sum(axis=1),
    }


def test_closed_forms_at_two_tokens(two):
    """A 16-point rule in each of the 4 directions resolves the softmax at s = 0.18 to 1e-9."""
    P2, P3, Q = two["P2"], two["P3"], two["Q"]
    np.testing.assert_allclose(V @ two["mean"] - V @ H, gaussian_bias(P2, V @ H), rtol=1e-7, atol=1e-9)
    for found, exact in (
        (two["outer"], covariance_of_mean_token(P2, P3, Q, GAMMA, H)),
        (two["error"], gaussian_second_moment(P2, P3, Q, T, Q_)),
        (two["C"] - GAMMA, softmax_covariance_bias(P2, P3, Q, GAMMA, H)),
    ):
        np.testing.assert_allclose(found, exact, rtol=1e-7, atol=1e-9)


def test_second_moment_of_the_softmax_covariance_at_two_tokens():
    """Summed over a basis of u and the rows of V it is the error of the gradient."""
    prompts, w = two_token_prompts()
    p = np.exp(prompts @ (U @ Z))
    p = p / p.sum(axis=1, keepdims=True)
    centred = prompts - np.einsum("nk,nkd->nd", p, prompts)[:, None, :]
    C = np.einsum("nk,nki,nkj->nij", p, centred, centred)
    moments = {key: w @ np.prod([(p**k).sum(axis=1) for k in key], axis=0) for key in GRAD_U_MOMENTS}
    l = H / np.sqrt(S)
    G, W = GAMMA - np.outer(l, l), V.T @ V
    lu2, lv2, Guu, Gvv = l @ l, l @ W @ l, np.trace(G), np.trace(W @ G)
    mixed, square = l @ W @ G @ l, np.trace(W @ G @ G)
    products = dict(along=lu2 * lv2, across=lv2 * Guu + lu2 * Gvv, mixed=mixed, square=square)
    products |= dict(product=Guu * Gvv)
    exact = softmax_covariance_second_moment(spread_moments(S, moments), **products)
    assert exact == pytest.approx(w @ (((C - GAMMA) @ V.T) ** 2).sum(axis=(1, 2)), rel=1e-8)
    wrong = softmax_covariance_second_moment(spread_moments(1.01 * S, moments), **products)
    assert wrong != pytest.approx(exact, rel=1e-4)


def test_the_matrix_forms_contract_to_the_scalar_ones():
    P2, P3, Q = 0.4, 0.25, 0.2
    outer = covariance_of_mean_token(P2, P3, Q, GAMMA, H)
    assert np.trace(V @ outer @ V.T) == pytest.approx(gaussian_second_moment(P2, P3, Q, T, Q_), rel=1e-13)
    # total covariance: E sum p z z' = E C_L + E zbar zbar', and its h h' part is 1 - 3 P2 + 2 P3
    total = GAMMA + softmax_covariance_bias(P2, P3, Q, GAMMA, H) + outer + (1 - 2 * P2) * np.outer(H, H)
    np.testing.assert_allclose(total, GAMMA + (1 - 3 * P2 + 2 * P3) * np.outer(H, H), rtol=1e-12)


def test_one_token_knows_nothing():
    assert gaussian_second_moment(1, 1, 1, T, Q_) == pytest.approx(T + Q_)
    assert theorem_A(50.0, 1, T, Q_) == pytest.approx(T + Q_)
    np.testing.assert_array_equal(gaussian_bias(1, V @ H), -V @ H)
    np.testing.assert_allclose(softmax_covariance_bias(1, 1, 1, GAMMA, H), -GAMMA)
    assert P2_slope(1, 1, 1) == 0


def test_theorem_A_solves_the_logistic_equation_from_equal_weights():
    s, L = sp.Symbol("s", nonnegative=True), sp.Symbol("L", integer=True, positive=True)
    y = theorem_A(s, L, 1, 0)
    assert sp.simplify(sp.diff(y, s) - y + y**2) == 0
    assert sp.simplify(y.subs(s, 0) - 1 / L) == 0
    assert sp.limit(L * y, L, sp.oo) == sp.exp(s) == limit_of_output_error(s, 1, 0)


def test_theorem_A_at_extreme_arguments():
    assert theorem_A(1e5, 1e300, 1, 1) == 2.0
    assert theorem_A(0, 1e300, 1, 0) == pytest.approx(1e-300)
    grid = theorem_A(np.array([[0.0], [1.0]]), np.array([1.0, 10.0]), 1.0, 0.0)
    np.testing.assert_allclose(grid[0], [1.0, 0.1])


def test_symbols_and_floats_agree():
    names = sp.symbols("P2 P3 Q t q", positive=True)
    P2, P3, Q = names[:3]
    at = dict(zip(names, (0.4, 0.25, 0.2, 3.0, 2.0)))
    exact = float(gaussian_second_moment(*names).subs(at))
    assert gaussian_second_moment(*at.values()) == pytest.approx(exact, rel=1e-13)
    h, G = sp.Matrix([1, 2]), sp.Matrix([[2, 1], [1, 3]])
    exact = np.array(covariance_of_mean_token(P2, P3, Q, G, h).subs(at), dtype=float)
    G_, h_ = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    np.testing.assert_allclose(exact, covariance_of_mean_token(0.4, 0.25, 0.2, G_, h_), rtol=1e-13)
    assert gaussian_bias(sp.Rational(1, 2), h) == -h / 2
    v = sp.Matrix([1, -1])
    loose = limit_of_grad_U_error(sp.Rational(1, 2), v, G, h, 3)
    floats = limit_of_grad_U_error(0.5, np.array([1.0, -1.0]), G_, h_, 3.0)
    assert float(loose) == pytest.approx(floats, rel=1e-13)


@pytest.mark.parametrize("v", [np.array([1.0, 0.0]), np.array([0.6, -0.8])])
def test_the_limits_of_the_errors_are_tilted_moments(v):
    """By the delta method they are E e^{2a.z}|r|^2 / (E e^{a.z})^2, here by quadrature: r =
    (z - h)(z - h)'v - Gamma v for the gradient, and r = V(z - h) for the output.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    g = np.stack([x.ravel() for x in np.meshgrid(nodes, nodes, indexing="ij")], axis=1)
    w = np.outer(weights, weights).ravel() / weights.sum() ** 2
    tokens, a = g @ np.linalg.cholesky(GAMMA).T, U @ Z
    tilt = w * np.exp(2 * tokens @ a) / (w @ np.exp(tokens @ a)) ** 2
    r = ((tokens - H) @ v)[:, None] * (tokens - H) - GAMMA @ v
    limit = tilt @ (r**2).sum(axis=1) * (Z @ Z)
    assert limit_of_grad_U_error(S, v, GAMMA, H, Z @ Z) == pytest.approx(limit, rel=1e-10)
    output = tilt @ (((tokens - H) @ V.T) ** 2).sum(axis=1)
    assert limit_of_output_error(S, T, Q_) == pytest.approx(output, rel=1e-10)


test_bad_arguments_are_named = refusals(
    (lambda: theorem_A(-1, 2, 1.0, 1.0), "variance of a score"),
    (lambda: theorem_A(1.0, 0, 1.0, 1.0), "at least one token"),
    (lambda: theorem_A(1.0, 2, -1, 1.0), "trace of a covariance"),
    (lambda: theorem_A(1.0, 2, 1.0, np.nan), "is a square"),
    (lambda: P2_slope(1.5, 0, 0), r"P2 = 1\.5 is outside \[0, 1\]"),
)


GOOD = {"s": 0.5, "v": [1.0, 0.0], "Gamma": np.eye(2), "h": [0.5, 0.0], "z2": 1.0}


test_bad_matrices_are_refused = refusals(
    ({"Gamma": np.eye(3)}, ValueError, "d = 2 is needed, as v has it"),
    ({"v": [np.inf, 0.0]}, ValueError, "entry inf"),
    ({"h": ["a", "b"]}, TypeError, "real numbers"),
    ({"z2": -1.0}, ValueError, "is a square"),
    ({"s": [[1.0], [1.0, 2.0]]}, TypeError, "is not a real number"),
    of=lambda change: limit_of_grad_U_error(**GOOD | change),
)
