"""Exact errors: closed forms, Monte Carlo, bounds, limits up to L = 1e100, and symmetries."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import roots_genlaguerre

import numerics.attention.exact.gaussian_tokens
import numerics.attention.quadrature.query_form
from numerics import exact_errors
from numerics.attention.quadrature.score_moments import FINE
from numerics.attention.setting import AttentionSetting
from theory.attention.gaussian_errors import limit_of_grad_U_error, limit_of_output_error, theorem_A
from theory.attention.query_average import theorem_B

FIELDS = ("output", "squared_bias", "grad_V", "grad_U", "grad_K", "grad_Q")
ONE = np.eye(1)
TABLE = json.loads((Path(__file__).parents[2] / "data" / "softmax_moments.json").read_text())


def problem(seed, d=3, d_out=2, scale=0.5, rank=None):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((d, rank or d))
    K, Q = rng.standard_normal((2, d + 1, d))
    V = rng.standard_normal((d_out, d))
    return dict(
        Gamma=B @ B.T / d, U=scale * K.T @ Q / d, V=V, K=math.sqrt(scale) * K, Q=math.sqrt(scale) * Q / d
    )


def query(seed: int, averaged: bool, d: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(100 + seed)
    B = rng.standard_normal((d, d))
    return {"query_cov": B @ B.T / (4 * d)} if averaged else {"query": rng.standard_normal(d)}


fields = lambda e: np.array([getattr(e, name) for name in FIELDS if getattr(e, name) is not None])
BOTH = pytest.mark.parametrize("averaged", [False, True])


@BOTH
def test_key_and_query_against_plain_sampling(averaged):
    """grad_K = Q (grad_U)' and grad_Q = K grad_U, row by row of V; and the bias at this query."""
    p, z, rng, n, L = problem(4, scale=0.5), query(2, averaged), np.random.default_rng(9), 60_000, 6
    exact = exact_errors(**p, lengths=L, **z)
    tokens = rng.standard_normal((n, L, 3)) @ np.linalg.cholesky(p["Gamma"]).T
    queries = (
        rng.standard_normal((n, 3)) @ np.linalg.cholesky(z["query_cov"]).T
        if averaged
        else np.tile(z["query"], (n, 1))
    )
    weights = np.exp(np.einsum("nli,ij,nj->nl", tokens, p["U"], queries))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = np.einsum("nl,nli->ni", weights, tokens)
    second = np.einsum("nl,nli,nlj->nij", weights, tokens, tokens)
    C = second - mean[:, :, None] * mean[:, None, :] - p["Gamma"]
    grad_U = np.einsum("vi,nij,nk->nvjk", p["V"], C, queries)
    draws = {
        "grad_U": np.sum(grad_U**2, axis=(1, 2, 3)),
        "grad_K": np.sum(np.einsum("mk,nvjk->nvmj", p["Q"], grad_U) ** 2, axis=(1, 2, 3)),
        "grad_Q": np.sum(np.einsum("mj,nvjk->nvmk", p["K"], grad_U) ** 2, axis=(1, 2, 3)),
    }
    for name, sample in draws.items():
        assert abs(sample.mean() - getattr(exact, name)[0]) < 5.5 * sample.std() / math.sqrt(n), name
    if not averaged:
        bias = p["V"] @ (mean.mean(axis=0) - p["Gamma"] @ p["U"] @ z["query"])
        assert bias @ bias == pytest.approx(exact.squared_bias[0], rel=0.1)


@BOTH
def test_one_token_by_the_definition(averaged):
    """L = 1: T_1 = V z_1 whatever the query, and the gradient in U is 0 instead of Gamma v z'."""
    p, z = problem(5), query(3, averaged)
    e = exact_errors(**p, lengths=[1], **z)
    S = z["query_cov"] if averaged else np.outer(z["query"], z["query"])
    H = p["V"] @ p["Gamma"] @ p["U"]
    q, K, Q = float(np.trace(H @ S @ H.T)), p["K"], p["Q"]
    VG = p["V"] @ p["Gamma"]
    tolerance = 1e-10 if not averaged else 1e-4
    assert e.output[0] == pytest.approx(np.trace(VG @ p["V"].T) + q, rel=tolerance)
    assert e.squared_bias[0] == pytest.approx(q, rel=tolerance)
    assert e.grad_U[0] == pytest.approx(np.sum(VG**2) * np.trace(S), rel=tolerance)
    assert e.grad_K[0] == pytest.approx(np.sum(VG**2) * np.trace(Q @ S @ Q.T), rel=tolerance)
    assert e.grad_Q[0] == pytest.approx(np.sum((VG @ K.T) ** 2) * np.trace(S), rel=tolerance)


def test_without_scores_it_is_a_sample_covariance():
    """U = 0: L C_L is Wishart with L - 1 degrees of freedom."""
    p, z = problem(6), query(4, False)["query"]
    G, V, L = p["Gamma"], p["V"], np.array([1.0, 2.0, 7.0, 1000.0, 1e100])
    e = exact_errors(G, 0 * G, V, L, query=z)
    variance = sum((v @ G @ v) * np.trace(G) + v @ G @ G @ v for v in V) * (L - 1) / L**2
    assert e.grad_U == pytest.approx((z @ z) * (variance + sum(v @ G @ G @ v for v in V) / L**2), rel=1e-12)
    assert e.output == pytest.approx(np.trace(V @ G @ V.T) / L, rel=1e-12)
    assert np.all(e.squared_bias == 0)
    averaged = exact_errors(G, 0 * G, V, L, query_cov=np.outer(z, z))
    assert fields(averaged) == pytest.approx(fields(e), rel=1e-12)


@BOTH
def test_small_scores_are_resolved(averaged):
    """The first order in s = tau^2 is closed, and nothing jumps between tau = 0, 1e-6 and 1e-3."""
    L = np.array([1.0, 2.0, 3.0, 1e3, 1e100])
    z = {"query_cov": ONE} if averaged else {"query": [1.0]}
    flat = exact_errors(ONE, 0 * ONE, ONE, L, **z)
    for tau in (1e-6, 1e-3):
        e = exact_errors(ONE, [[tau]], ONE, L, **z)
        # P2' = P2 - 4 P3 + 3 Q and P2 - 6 P3 + 6 Q at equal weights
        slope = (1 / L - 4 / L**2 + 3 / L**2) + 1 / L
        size = np.maximum(flat.output, flat.grad_U)
        assert np.all(
            np.abs(e.output - flat.output - tau**2 * slope)
            < (20 * tau**4 + (1e-5 if averaged else 1e-13)) * size
        )
        assert np.all(np.abs(e.grad_U - flat.grad_U) < (50 * tau**2 + (1e-5 if averaged else 1e-13)) * size)


@BOTH
def test_theorem_A_bounds_the_output(averaged):
    L = np.array([1, 2, 3, 10, 1e3, 1e6, 1e20, 1e100])
    for seed in range(4):
        p, z = problem(seed, scale=0.8), query(seed, False)["query"]
        h = p["Gamma"] @ p["U"] @ z
        s, t = float(z @ p["U"].T @ h), float(np.trace(p["V"] @ p["Gamma"] @ p["V"].T))
        q = float(np.sum((p["V"] @ h) ** 2))
        ratio = exact_errors(p["Gamma"], p["U"], p["V"], L, query=z).output / theorem_A(s, L, t, q)
        assert np.all(ratio <= 1 + 1e-10)
        assert ratio[0] == pytest.approx(1, rel=1e-10)
        assert ratio[-1] == pytest.approx(1, rel=1e-10)
    if averaged:  # d = 1: Theorem A integrated over queries
        x = np.linspace(-12, 12, 4001)
        density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
        s = 0.7 * x**2
        bound = [density @ ((1 + s) / (1 + (l - 1) * np.exp(-s))) for l in L[:6]]
        assert np.all(
            exact_errors(ONE, [[math.sqrt(0.7)]], ONE, L[:6], query_cov=ONE).output
            <= np.array(bound) * (1 + 1e-5)
        )


def test_limits_of_long_prompts_at_a_fixed_query():
    for seed, rank in ((0, None), (1, None), (2, 1)):
        p, z = problem(seed, rank=rank), query(seed, False)["query"]
        G, U, V = p["Gamma"], p["U"], p["V"]
        h = G @ U @ z
        s = float(z @ U.T @ h)
        e = exact_errors(G, U, V, [1e100], query=z)
        t, q = float(np.trace(V @ G @ V.T)), float(np.sum((V @ h) ** 2))
        assert 1e100 * e.output[0] == pytest.approx(limit_of_output_error(s, t, q), rel=1e-10)
        assert 1e200 * e.squared_bias[0] == pytest.approx(math.exp(2 * s) * q, rel=1e-10)
        limit = sum(limit_of_grad_U_error(s, v, G, h, float(z @ z)) for v in V)
        assert 1e100 * e.grad_U[0] == pytest.approx(limit, rel=1e-10)


@pytest.mark.parametrize(("lam", "d"), [(0.2, 1), (0.2, 3), (1.0, 3), (2.0, 1)])
def test_theorem_B_far_out(lam, d):
    L, U = [1e20, 1e60, 1e100], np.diag(np.sqrt(lam) * np.array([1.0, 0.4, 0.2])[:d])
    values = (lam * np.array([1, 0.16, 0.04])[:d]).tolist()
    law = theorem_B(values, values, float(d))
    e = exact_errors(np.eye(d), U, np.eye(d), L, query_cov=np.eye(d), tolerance=1e-3 if lam < 0.5 else 1e-2)
    expected = law.constant * np.exp(-law.exponent * np.log(L)) * np.log(L) ** law.log_power
    off = np.abs(e.output / expected - 1)
    if lam < 0.5:
        assert np.all(off < 1e-5)
    else:
        assert np.all(np.diff(off) < -50 * e.relative_error.max())
        assert off[-1] < 0.03


def average_of_queries(p: dict[str, Any], S: np.ndarray, L: list[float], n: int) -> np.ndarray:
    nodes, weights = np.polynomial.hermite_e.hermegauss(n)
    root = np.linalg.cholesky(S)
    total = np.zeros((len(FIELDS), len(L)))
    for i, x in enumerate(nodes):
        for j, y in enumerate(nodes):
            e = exact_errors(**p, lengths=L, query=root @ [x, y])
            total += weights[i] * weights[j] / weights.sum() ** 2 * fields(e)
    return total


def test_average_over_queries_is_the_average_of_the_fixed_queries():
    p, S, L = problem(8, d=2, scale=0.15), np.array([[0.5, 0.2], [0.2, 0.3]]), [1, 3, 40, 1000]
    e = exact_errors(**p, lengths=L, query_cov=S)
    found, direct = fields(e), average_of_queries(p, S, L, 20)
    assert np.all(np.abs(found / direct - 1) < e.relative_error)
    assert np.all(e.relative_error < 1e-3)


@pytest.mark.parametrize("lam", [1e-12, 0.1, 0.25, 0.5, 2.0, 20.0])
def test_the_estimated_error_of_averages_is_honest(lam, monkeypatch):
    L = [1, 2, 10, 1e3, 1e6, 1e20]
    for d in (1, 4):
        U = math.sqrt(lam) * np.eye(d)
        estimates = [
            exact_errors(np.eye(d), U, np.eye(d), L, query_cov=np.eye(d), tolerance=rel)
            for rel in (1e-2, 1e-3)
        ]
        with monkeypatch.context() as finer:
            rule = numerics.attention.exact.gaussian_tokens.CLOSE._replace(fineness=FINE, step=0.06)
            finer.setattr(numerics.attention.exact.gaussian_tokens, "CLOSE", rule)
            finer.setattr(numerics.attention.exact.gaussian_tokens, "NEGLECTED_SHARE", 1e-11)
            truth = exact_errors(np.eye(d), U, np.eye(d), L, query_cov=np.eye(d))
        for e, tolerance in zip(estimates, (1e-2, 1e-3)):
            assert np.all(np.abs(fields(e) / fields(truth) - 1) <= e.relative_error)
            assert np.all(e.relative_error <= tolerance)


@BOTH
def test_scaling_rotation_and_padding(averaged):
    p, z, L = problem(10), query(6, averaged), [1, 2, 50, 1e6]
    kind, value = next(iter(z.items()))
    e = fields(exact_errors(**p, lengths=L, **z))
    tolerance = 1e-10
    louder = fields(exact_errors(**p | {"V": 3 * p["V"]}, lengths=L, **z))
    assert louder == pytest.approx(e * np.array([9, 9, 1, 9, 9, 9])[:, None], rel=tolerance)
    R, _ = np.linalg.qr(np.random.default_rng(8).standard_normal((3, 3)))
    turn = dict(
        Gamma=R @ p["Gamma"] @ R.T, U=R @ p["U"] @ R.T, V=p["V"] @ R.T, K=p["K"] @ R.T, Q=p["Q"] @ R.T
    )
    turned = {kind: R @ value @ R.T if averaged else R @ value}
    assert fields(exact_errors(**turn, lengths=L, **turned)) == pytest.approx(e, rel=tolerance)
    rows = np.linalg.qr(np.random.default_rng(2).standard_normal((2, 2)))[0]
    assert fields(exact_errors(**p | {"V": rows @ p["V"]}, lengths=L, **z)) == pytest.approx(e, rel=tolerance)
    # a direction in which tokens never vary, whatever U, V, K and Q do there
    wide = lambda M: np.pad(M, [(0, 1), (0, 1)])
    K, Q, V = (np.pad(p[name], [(0, 0), (0, 1)], constant_values=7.0 * (name == "V")) for name in "KQV")
    padded = {"Gamma": wide(p["Gamma"]), "U": wide(p["U"]), "V": V, "K": K, "Q": Q}
    longer = {kind: wide(value) if averaged else np.append(value, 0.0)}
    assert fields(exact_errors(**padded, lengths=L, **longer)) == pytest.approx(e, rel=tolerance)
    # queries twice as long and scores half as steep: only the factor z of the gradients is left
    half = {kind: 4 * value if averaged else 2 * value}
    scaled = exact_errors(p["Gamma"], p["U"] / 2, p["V"], L, **half)
    known = e[[0, 2, 3]] * [[1], [1], [4]]
    assert np.array([scaled.output, scaled.grad_V, scaled.grad_U]) == pytest.approx(known, rel=tolerance)


@pytest.mark.parametrize(("low", "high", "tolerance"), [(0, 36, 1e-11), (64, 64, 1e-11), (150, 1000, 1e-10)])
def test_output_against_mpmath(low, high, tolerance):
    """d = 1: P2 + s (P2 - 6 P3 + 6 Q), in exact arithmetic from the 20-digit table."""
    for s in {r["s"] for r in TABLE if low <= float(r["s"]) <= high}:
        rows = [r for r in TABLE if r["s"] == s]
        P2, P3, Q = ([Fraction(r[name]) for r in rows] for name in ("P2", "P3", "Q"))
        expected = np.array([float(a + Fraction(s) * (a - 6 * b + 6 * c)) for a, b, c in zip(P2, P3, Q)])
        e = exact_errors(ONE, [[math.sqrt(float(s))]], ONE, [float(r["L"]) for r in rows], query=[1.0])
        assert e.output == pytest.approx(expected, rel=tolerance)
        assert np.all(e.relative_error <= {36: 1e-10, 64: 1e-8, 1000: 1e-6}[int(high)])


@pytest.mark.parametrize(("d", "lam"), [(40, 0.02), (200, 0.005)])
def test_many_dimensions(d, lam):
    """An isotropic problem depends on |z| alone: one integral over the chi^2 law of its square."""
    L = [2, 50, 1e4]
    e = exact_errors(np.eye(d), math.sqrt(lam) * np.eye(d), np.eye(d), L, query_cov=np.eye(d))
    nodes, weights = roots_genlaguerre(24, d / 2 - 1)
    total = np.zeros((4, 3))
    for x, w in zip(2 * nodes, weights / weights.sum()):
        z = np.full(d, math.sqrt(x / d))
        total += w * fields(exact_errors(np.eye(d), math.sqrt(lam) * np.eye(d), np.eye(d), L, query=z))
    assert np.all(np.abs(fields(e) / total - 1) < e.relative_error)


def test_tokens_or_values_that_vanish():
    e = exact_errors(np.zeros((2, 2)), np.eye(2), np.eye(2), [1, 5], query=[1.0, 2.0])
    assert not np.any([e.output, e.grad_V, e.grad_U])
    e = exact_errors(np.eye(2), np.eye(2), np.zeros((1, 2)), [1], query=[1.0, 0.0])
    assert (e.output[0], e.grad_U[0]) == (0, 0)
    assert e.grad_V[0] == pytest.approx(3)  # tr Gamma + |h|^2
    # scores that vanish up to rounding: the direction of h is noise, and must not matter
    G, z = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([0.1 + 0.2, 0.3])
    noise = exact_errors(G, np.eye(2), np.eye(2), [3], query=z)
    assert noise.grad_U == pytest.approx(exact_errors(G, 0 * G, np.eye(2), [3], query=z).grad_U, rel=1e-10)


@pytest.mark.parametrize("small", [1e-15, 1e-7, 1e-5])
def test_directions_that_scores_hardly_see(small):
    wide = [
        exact_errors(np.eye(2), np.diag([0.5, u]), np.eye(2), [2, 30, 1e9], query_cov=np.eye(2))
        for u in (small, 0.0)
    ]
    assert fields(wide[0]) == pytest.approx(fields(wide[1]), rel=1e-5)


def test_lengths_in_any_order_and_one_alone():
    e = exact_errors(ONE, ONE, ONE, [1000, 2, 30], query=[1.0])
    for i, L in enumerate((1000, 2, 30)):
        alone = exact_errors(ONE, ONE, ONE, L, query=[1.0])
        assert fields(alone)[:, 0] == pytest.approx(fields(e)[:, i], rel=1e-12)
    assert exact_errors(ONE, ONE, ONE, 10**40, query=[1.0]).output.shape == (1,)
    with pytest.raises(AttributeError):
        e.output = e.grad_U


OVER_QUERIES = {"query": None, "query_cov": np.eye(2) / 9, "tolerance": 1e-2}
GOOD: dict[str, Any] = dict(Gamma=np.eye(2), U=np.eye(2), V=np.eye(2), lengths=[10], query=[1.0, 0.0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"lengths": [0]}, ValueError, "at least one token"),
        ({"lengths": [2.5]}, ValueError, "whole number"),
        ({"lengths": [2.5], **OVER_QUERIES}, ValueError, "whole number"),
        ({"lengths": [np.inf], **OVER_QUERIES}, ValueError, "whole number"),
        ({"lengths": 10**400}, ValueError, "beyond the range"),
        ({"lengths": []}, TypeError, "lengths must be"),
        ({"lengths": [[3]]}, TypeError, "lengths must be"),
        ({"lengths": "3"}, TypeError, "lengths must be"),
        ({"query": [65.0, 0.0]}, ValueError, "variance s = 4225 are beyond"),
        ({"query": [1e200, 0.0]}, ValueError, "overflow"),
        ({"query": None, "query_cov": 1e4 * np.eye(2)}, ValueError, "lambda = 1e.04"),
        ({"tolerance": 1e-9}, ValueError, "tolerance = 1e-09 is outside"),
    ],
)
def test_bad_input(change, error, message):
    with pytest.raises(error, match=message):
        exact_errors(**GOOD | change)


def test_errors_along_a_query_are_those_of_each_multiple():
    rng = np.random.default_rng(3)
    Gamma, V, K = np.diag([1.0, 0.5, 0.0]), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    Q, z = rng.normal(size=(2, 3)), np.ones(3)
    L, s = np.array([1.0, 7.0, 1e6]), np.array([1e-3, 2.0, 90.0])
    size = math.sqrt(z @ Q.T @ K @ Gamma @ K.T @ Q @ z)
    setting = AttentionSetting(Gamma, None, V, z, K=K, Q=Q)
    found = numerics.attention.exact.gaussian_tokens.errors_along(setting, L, z, s)
    for i, variance in enumerate(s):
        one = exact_errors(Gamma, None, V, L, query=math.sqrt(variance) / size * z, K=K, Q=Q)
        for name, values in found.items():
            np.testing.assert_allclose(values[i], getattr(one, name), rtol=1e-9)
    with pytest.raises(ValueError, match="s = 5000 are beyond"):
        numerics.attention.exact.gaussian_tokens.errors_along(setting, L, z, np.array([1.0, 5000.0]))


def test_densities_that_are_wrong_alike_in_both_rules_are_refused(monkeypatch):
    """As in many dimensions of unequal size, where rounding is all that is left of a density."""
    form = numerics.attention.quadrature.query_form
    true = form._inverse_transforms
    monkeypatch.setattr(form, "_inverse_transforms", lambda *given: 0.97 * true(*given))
    with pytest.raises(ValueError, match=r"known to 0\.03 only"):
        exact_errors(ONE, ONE, ONE, [10, 100], query_cov=0.1 * ONE)


def test_an_average_that_does_not_settle_is_refused(monkeypatch):
    monkeypatch.setattr(numerics.attention.exact.gaussian_tokens, "HALVINGS", 0)
    rule = numerics.attention.exact.gaussian_tokens.CLOSE._replace(step=1.5)
    monkeypatch.setattr(numerics.attention.exact.gaussian_tokens, "CLOSE", rule)
    with pytest.raises(ValueError, match=r"known to .* only .* not to 0.001; ask for a larger tolerance"):
        exact_errors(ONE, ONE, ONE, [10, 1e6], query_cov=ONE)
