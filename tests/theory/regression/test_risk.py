"""Risks and gradients against simulated prompts, differences and Gaussian moments."""

import itertools
import math

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.regression.any_parameters import full_risk, full_risk_gradient
from theory.regression.risk import (
    effective_covariance,
    icl_risk,
    icl_risk_gradient,
    invariants,
    task_covariance,
    vector_field,
)

RNG = np.random.default_rng(5113)


@pytest.fixture(autouse=True)
def _same_stream_for_every_test():
    RNG.bit_generator.state = np.random.default_rng(5113).bit_generator.state


def covariance(d, rank):
    B = RNG.normal(size=(d, rank)) / np.sqrt(d)
    return B @ B.T


def simulated_risk(Sigma, U, u, L, noise, n):
    """Linear attention on n prompts, with the query's token in the average as in Appendix F.2."""
    d = len(Sigma)
    root = np.linalg.cholesky(Sigma + 1e-300 * np.eye(d))
    w, query = RNG.normal(size=(n, d)), RNG.normal(size=(n, d)) @ root.T
    x = RNG.normal(size=(n, L, d)) @ root.T
    y = np.einsum("nld,nd->nl", x, w) + np.sqrt(noise) * RNG.normal(size=(n, L))
    tokens = np.concatenate([x, y[..., None]], axis=2)
    masked = np.concatenate([query, np.zeros((n, 1))], axis=1)
    second = (np.einsum("nli,nlj->nij", tokens, tokens) + np.einsum("ni,nj->nij", masked, masked)) / L
    full = np.zeros((d + 1, d + 1))
    full[:d, :d] = U
    loss = (u * np.einsum("nij,jk,nk->ni", second, full, masked)[:, -1] - (w * query).sum(1)) ** 2 / 2
    return float(loss.mean()), float(loss.std() / np.sqrt(n))


@pytest.mark.parametrize(("d", "L", "noise"), [(1, 1, 0.0), (2, 3, 0.5), (3, 2, 1.0)])
def test_finite_prompt_risk_against_simulated_prompts(d, L, noise):
    """Six standard errors: a correct formula fails with probability below 2e-9 for each case."""
    Sigma, U = covariance(d, d + 2), RNG.normal(size=(d, d)) / d
    mean, error = simulated_risk(Sigma, U, 0.7, L, noise, 60_000)
    exact = icl_risk(Sigma, U, 0.7, prompt_length=L, noise=noise)
    assert abs(mean - exact) < 6 * error
    wrong = icl_risk(Sigma, U, 0.7)  # the infinite prompt: the simulation has to tell it apart
    assert abs(mean - wrong) > 6 * error


def isserlis(polynomial, variables):
    """Expectation over independent standard normal variables, monomial by monomial."""
    total = sp.Integer(0)
    for powers, coefficient in sp.Poly(sp.expand(polynomial), *variables).terms():
        if all(k % 2 == 0 for k in powers):
            total += coefficient * sp.prod([sp.factorial2(k - 1) for k in powers])
    return sp.expand(total)


@pytest.mark.parametrize("d", [1, 2])
def test_full_risk_from_its_definition_with_symbols(d):
    """E (v' Gamma_w U (x, 0) - w'x)^2 / 2, every entry of Sigma, U and v a symbol."""
    entry = sp.IndexedBase("s")
    Sigma = sp.Matrix(d, d, lambda i, j: entry[min(i, j), max(i, j)])
    U, v = sp.Matrix(d + 1, d + 1, sp.symbols(f"U:{(d + 1) ** 2}")), sp.Matrix(sp.symbols(f"v:{d + 1}"))
    w, noise = list(sp.symbols(f"w:{d}")), sp.Symbol("t")
    row = v.T @ task_covariance(Sigma, sp.Matrix(w), noise) @ U[:, :d] - sp.Matrix([w])
    expected = isserlis((row @ Sigma @ row.T)[0] / 2, w)
    assert sp.expand(full_risk(Sigma, U, v, noise=noise) - expected) == 0
    gradient_U, gradient_v = full_risk_gradient(Sigma, U, v, noise=noise)
    for i, j in itertools.product(range(d + 1), repeat=2):
        assert sp.expand(gradient_U[i, j] - expected.diff(U[i, j])) == 0
    for i in range(d + 1):
        assert sp.expand(gradient_v[i] - expected.diff(v[i])) == 0


@pytest.mark.parametrize(("d", "rank"), [(1, 1), (3, 2), (4, 4)])
@pytest.mark.parametrize(("L", "noise"), [(None, 0.0), (2, 0.3)])
def test_gradient_against_finite_differences(d, rank, L, noise):
    Sigma, U, u, h = covariance(d, rank), RNG.normal(size=(d, d)), 0.6, 1e-6
    risk = lambda A, b: icl_risk(Sigma, A, b, prompt_length=L, noise=noise)
    gradient, slope = icl_risk_gradient(Sigma, U, u, prompt_length=L, noise=noise)
    assert slope == pytest.approx((risk(U, u + h) - risk(U, u - h)) / (2 * h), rel=1e-7, abs=1e-8)
    for i, j in itertools.product(range(d), repeat=2):
        E = np.zeros((d, d))
        E[i, j] = h
        slope = (risk(U + E, u) - risk(U - E, u)) / (2 * h)
        assert gradient[i, j] == pytest.approx(slope, rel=1e-7, abs=1e-8)


def test_the_block_manifold_is_kept_and_the_block_risk_is_the_full_risk_on_it():
    d, noise = 3, 0.4
    Sigma, A, u = covariance(d, 2), RNG.normal(size=(3, 3)), 0.8
    U, v = np.zeros((d + 1, d + 1)), np.array([0, 0, 0, u])
    U[:d, :d] = A
    gradient_U, gradient_v = full_risk_gradient(Sigma, U, v, noise=noise)
    inner, slope = icl_risk_gradient(Sigma, A, u)
    np.testing.assert_allclose(gradient_U[:d, :d], inner, atol=1e-14)
    assert gradient_v[d] == pytest.approx(slope)
    assert not gradient_U[d].any()
    assert not gradient_U[:, d].any()
    assert not gradient_v[:d].any()
    assert full_risk(Sigma, U, v, noise=noise) == pytest.approx(icl_risk(Sigma, A, u))
    U[d, 0] = 0.1  # off the manifold the noise is felt, and the manifold attracts nothing exactly
    assert full_risk(Sigma, U, v, noise=noise) != pytest.approx(full_risk(Sigma, U, v))
    assert full_risk_gradient(Sigma, U, v)[0][d].any()


@pytest.mark.parametrize("L", [None, 4])
def test_invariants_have_zero_derivative_along_the_field(L):
    Sigma, U, u, h = covariance(4, 2), RNG.normal(size=(4, 4)), 0.5, 1e-6
    motion, speed = vector_field(Sigma, U, u, prompt_length=L)
    before, after = (invariants(Sigma, U + s * h * motion, u + s * h * speed) for s in (-1, 1))
    assert (after[0] - before[0]) / (2 * h) == pytest.approx(0, abs=1e-8)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), 0, atol=1e-8)
    assert np.linalg.norm(motion) > 0.01


@pytest.mark.parametrize("Sigma", [np.diag([1.0, 1e-40]), np.array([[1.0, 1e-30], [1e-30, 3e-60]])])
def test_an_invertible_covariance_keeps_no_block_however_small_its_eigenvalues(Sigma):
    assert not invariants(Sigma, np.ones((2, 2)), 1.0)[1].any()


def test_effective_covariance_commutes_and_tends_to_sigma():
    Sigma = covariance(3, 2)
    S = effective_covariance(Sigma, 5, 0.7)
    np.testing.assert_allclose(S @ Sigma, Sigma @ S, atol=1e-15)
    gaps = [np.linalg.norm(effective_covariance(Sigma, L, 0.7) - Sigma) for L in (10, 1000)]
    assert gaps[0] / gaps[1] == pytest.approx(100)
    np.testing.assert_array_equal(effective_covariance(Sigma), Sigma)


def test_task_covariance_is_the_second_moment_of_tokens():
    """Six standard errors on each of 6 entries: error probability below 2e-8."""
    Sigma, w = covariance(2, 4), np.array([0.5, -1.0])
    x = RNG.normal(size=(200_000, 2)) @ np.linalg.cholesky(Sigma).T
    tokens = np.column_stack([x, x @ w + np.sqrt(0.3) * RNG.normal(size=len(x))])
    products = np.einsum("ni,nj->nij", tokens, tokens)
    gap = np.abs(products.mean(0) - task_covariance(Sigma, w, noise=0.3))
    assert (gap < 6 * products.std(0) / np.sqrt(len(x))).all()


I, GOOD = np.eye(2), {"Sigma": np.eye(2), "U": np.eye(2), "u": 1.0, "prompt_length": 3}
test_what_is_no_task_is_refused = refusals(
    ({"Sigma": 2.0}, "square matrix"),
    ({"Sigma": [[1.0, 1.0], [0.0, 1.0]]}, "not symmetric"),
    ({"U": np.eye(3)}, "d = 2 is needed"),
    ({"U": [["a", "b"], ["c", "d"]]}, TypeError, "real numbers"),
    ({"u": math.nan}, "entry nan"),
    ({"u": [1.0]}, "that of a number"),
    ({"prompt_length": 1.5}, "positive integer"),
    ({"noise": -1.0}, "nonnegative"),
    ({"Sigma": sp.eye(2), "u": sp.I}, TypeError, "real"),
    ({"Sigma": sp.ones(2, 3)}, "d = 2 is needed"),
    of=lambda change: icl_risk(**GOOD | change),
)
test_parameters_have_the_dimension_of_a_token = refusals((lambda: full_risk(I, I, np.ones(2)), r"d \+ 1 = 3"))


def test_nested_lists_are_arrays():
    assert icl_risk([[2.0]], [[0.5]], 1) == icl_risk(np.array([[2.0]]), np.array([[0.5]]), 1.0)
