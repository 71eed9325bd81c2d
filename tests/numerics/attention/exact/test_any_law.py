"""Exact errors for any law: other engines, enumeration, quadrature, simulation, limits."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import numerics.attention.exact.any_law
from numerics import TokenLaw, exact_errors
from numerics.attention.exact.any_law import law_errors
from numerics.attention.exact.enumeration import compositions, multinomial
from numerics.attention.setting import AttentionSetting
from numerics.token_laws import atoms, ball, gaussian, rademacher, sphere, uniform

FIELDS = ("output", "squared_bias", "grad_V", "grad_U", "grad_K", "grad_Q", "from_linear")
NAME = lambda law: law.name
SKEWED = ([[-1.0, 0.5], [0.5, -1.0], [1.0, 1.0]], [0.4, 0.4, 0.2])


def problem(seed: int, d: int, scale: float = 1.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    K, Q = rng.standard_normal((2, d + 1, d))
    V, query = rng.standard_normal((2, d)), rng.standard_normal(d) / math.sqrt(d)
    return dict(U=scale * K.T @ Q / d, V=V, query=query, K=scale * K, Q=Q / d)


fields = lambda e: np.array([getattr(e, name) for name in FIELDS if getattr(e, name) is not None])


def prompts_mean(tokens: np.ndarray, p: np.ndarray, law: TokenLaw, g: dict[str, Any]) -> np.ndarray:
    """The fields by their definition, from prompts (n, L, d) with the probabilities p."""
    a = g["U"] @ g["query"]
    h, H = law.tilted(a)
    scores = tokens @ a
    w = np.exp(scores - scores.max(axis=1, keepdims=True))
    w /= w.sum(axis=1, keepdims=True)
    mean = np.einsum("nl,nli->ni", w, tokens)
    C = np.einsum("nl,nli,nlj->nij", w, tokens, tokens) - mean[:, :, None] * mean[:, None, :] - H
    out, square = (mean - h) @ g["V"].T, lambda x: (x**2).reshape(len(x), -1).sum(axis=1)
    VC, z2, Qz = g["V"] @ C, g["query"] @ g["query"], g["Q"] @ g["query"]
    draws = [square(out), len(g["V"]) * square(mean - h), z2 * square(VC), Qz @ Qz * square(VC)]
    draws += [z2 * square(VC @ g["K"].T), square((mean - law.covariance @ a) @ g["V"].T)]
    bias = float(np.sum((p @ out) ** 2))
    means = [float(p @ x) for x in draws]
    return np.array([means[0], bias, *means[1:]])


@pytest.mark.parametrize(("d", "rank", "scale"), [(1, 1, 2.0), (3, 3, 0.3), (3, 2, 1.0), (4, 4, 2.5)])
def test_gaussian_tokens_against_their_own_engine(d, rank, scale):
    p, L = problem(d, d, scale), [1, 2, 3, 30, 1000, 1e6, 1e12, 1e100]
    B = np.random.default_rng(rank).standard_normal((d, rank))
    Gamma = B @ B.T / d
    e = law_errors(AttentionSetting(gaussian(Gamma), **p), np.array(L, dtype=float))
    assert fields(e) == pytest.approx(fields(exact_errors(Gamma, **p, lengths=L)), rel=1e-10)
    assert np.all(e.relative_error < 1e-10)
    known = fields(exact_errors(Gamma, **p, lengths=L))
    assert fields(exact_errors(gaussian(Gamma), **p, lengths=L)) == pytest.approx(known, rel=1e-12)


def test_gaussian_tokens_with_loud_scores():
    L = [2, 10, 1e6]
    e = law_errors(AttentionSetting(gaussian([[1.0]]), [[9.0]], [[1.0]], [1.0]), np.array(L, dtype=float))
    wanted = fields(exact_errors([[1.0]], [[9.0]], [[1.0]], L, query=[1.0]))
    assert fields(e) == pytest.approx(wanted, rel=1e-9)
    assert np.all(e.relative_error < 1e-9)


@pytest.mark.parametrize("integral", [False, True])
def test_few_atoms_against_enumeration(integral, monkeypatch):
    p = problem(5, 2, 0.8)
    if integral:
        monkeypatch.setattr(numerics.attention.exact.any_law, "FEW_SIGNS", 0)
    law = rademacher(2) if integral else atoms(*SKEWED)
    points = np.array(list(itertools.product([-1.0, 1.0], repeat=2)) if integral else SKEWED[0])
    weights = np.full(4, 0.25) if integral else np.array(SKEWED[1])
    L = [1, 2, 3, 5]
    e = fields(exact_errors(law, **p, lengths=L))
    for i, n in enumerate(L):
        counts = compositions(n, len(points))
        prompts = np.array([np.repeat(points, row, axis=0) for row in counts])
        assert e[:, i] == pytest.approx(
            prompts_mean(prompts, multinomial(counts, weights), law, p), rel=1e-10
        )
    if integral:
        by_integral = fields(exact_errors(law, **p, lengths=[2, 1e3, 1e9]))
        monkeypatch.undo()
        assert by_integral == pytest.approx(fields(exact_errors(law, **p, lengths=[2, 1e3, 1e9])), rel=1e-11)


def pairs(points: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    i, j = (x.ravel() for x in np.meshgrid(np.arange(len(points)), np.arange(len(points))))
    return np.stack([points[i], points[j]], axis=1), weights[i] * weights[j]


def rule(name: str) -> tuple[TokenLaw, np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(20)
    turn = 2 * np.pi * np.arange(24) / 24
    circle, even = np.stack([np.cos(turn), np.sin(turn)], axis=-1), np.full(24, 1 / 24)
    A = np.array([[1.0, 0.5], [0.0, 0.7]])
    if name == "interval":
        return uniform(1), np.sqrt(3) * x[:, None], w / 2
    if name == "square":
        both = np.array(list(itertools.product(x, repeat=2)))
        return uniform(2), np.sqrt(3) * both, np.outer(w, w).ravel() / 4
    if name == "disc":  # radii by Gauss points of the squared radius
        x, w = np.polynomial.legendre.leggauss(10)
        radii = np.sqrt((x + 1) / 2)[:, None, None]
        return ball(2), 2 * (radii * circle).reshape(-1, 2), np.outer(w, even).ravel() / 2
    points = np.sqrt(2) * circle
    return {
        "circle": (sphere(2), points, even),
        "ellipse": (sphere(2).image(A), points @ A.T, even),
        "shadow": (sphere(2).image([[0.6, 0.8]]), points @ [[0.6], [0.8]], even),
    }[name]


@pytest.mark.parametrize("name", ["interval", "square", "circle", "disc", "ellipse", "shadow"])
def test_two_tokens_against_quadrature_over_both(name):
    law, points, p = rule(name)
    g = problem(7, law.d, 0.5)
    e = exact_errors(law, **g, lengths=[1, 2])
    assert fields(e)[:, 0] == pytest.approx(prompts_mean(points[:, None], p, law, g), rel=1e-10)
    assert fields(e)[:, 1] == pytest.approx(prompts_mean(*pairs(points, p), law, g), rel=1e-8)


@pytest.mark.parametrize(
    "law",
    [sphere(3), ball(3).image([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 2.0, 1.0]]), uniform(3)],
    ids=NAME,
)
def test_against_simulation(law):
    """At 6.5 standard errors of 50 blocks: error probability 4e-8 each, by Student's t."""
    g, n, L = problem(9, 3, 0.8), 20_000, 30
    tokens = law.sample(np.random.default_rng(3), n * L).reshape(n, L, 3)
    e = fields(exact_errors(law, **g, lengths=[L]))[:, 0]
    blocks = np.array([prompts_mean(tokens[i::50], np.full(n // 50, 50 / n), law, g) for i in range(50)])
    for name, block, exact in zip(FIELDS, blocks.T, e):
        if name != "squared_bias":
            assert abs(block.mean() - exact) < 6.5 * block.std(ddof=1) / math.sqrt(50), name


@pytest.mark.parametrize("law", [rademacher(12), uniform(2), sphere(3), ball(2), atoms(*SKEWED)], ids=NAME)
def test_limits_of_long_prompts(law):
    """L E|err|^2 -> E w^2 |V(z-h)|^2/(E w)^2, L E err -> -E w^2 V(z-h)/(E w)^2, by double tilt."""
    g, L = problem(2, law.d, 0.6), 1e40
    a, V = g["U"] @ g["query"], g["V"]
    h, (h2, H2) = law.tilted(a)[0], law.tilted(2 * a)
    size = math.exp(float(law.log_mgf(2 * a) - 2 * law.log_mgf(a)))
    away = h2 - h
    second = H2 + np.outer(away, away)
    e = exact_errors(law, **g, lengths=[L])
    assert L * e.output[0] == pytest.approx(size * np.trace(V @ second @ V.T), rel=1e-10)
    assert L**2 * e.squared_bias[0] == pytest.approx(size**2 * np.sum((V @ away) ** 2), rel=1e-9)
    assert L * e.grad_V[0] == pytest.approx(len(V) * size * np.trace(second), rel=1e-10)


def test_equal_weights_in_closed_form():
    """U z = 0: a plain mean; for one sign (C_L - 1)^2 = mean^4 has the mean (3L - 2)/L^3."""
    L = np.array([1.0, 2, 3, 10, 1e6])
    e = exact_errors(rademacher(1), [[0.0]], [[2.0]], L, query=[3.0])
    assert e.output == pytest.approx(4 / L, rel=1e-12)
    assert e.grad_U == pytest.approx(4 * 9 * (3 * L - 2) / L**3, rel=1e-11)
    for law in (sphere(3), ball(3), uniform(3), atoms(*SKEWED)):
        V, zero = np.eye(2, law.d), np.zeros((law.d, law.d))
        e = exact_errors(law, zero, V, L, query=np.ones(law.d))
        assert e.output == pytest.approx(np.trace(V @ law.covariance @ V.T) / L, rel=1e-11)
        assert np.all(e.squared_bias < 1e-25 / L)


def test_symmetries():
    L, g = [1, 2, 40, 1e8], problem(3, 3)
    e = fields(exact_errors(sphere(3), **g, lengths=L))
    R = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    turned = dict(U=R @ g["U"] @ R.T, V=g["V"] @ R.T, query=R @ g["query"], K=g["K"] @ R.T, Q=g["Q"] @ R.T)
    assert fields(exact_errors(sphere(3), **turned, lengths=L)) == pytest.approx(e, rel=1e-10)
    scaled = exact_errors(sphere(3).image(2 * np.eye(3)), g["U"] / 2, g["V"], L, query=g["query"])
    assert fields(scaled) == pytest.approx(e[[0, 1, 2, 3, 6]] * [[4], [4], [4], [16], [4]], rel=1e-10)
    got = fields(exact_errors(sphere(3), **g | {"V": 3 * g["V"]}, lengths=L))
    assert got == pytest.approx(e * [[9], [9], [1], [9], [9], [9], [9]], rel=1e-10)
    wide = sphere(3).image(np.eye(4, 3))
    pad = lambda M, rows: np.pad(M, [(0, rows), (0, 1)], constant_values=0.7)
    padded = dict(U=pad(g["U"], 1), V=pad(g["V"], 0), query=np.append(g["query"], 0.0))
    assert fields(exact_errors(wide, **padded, lengths=L))[:3] == pytest.approx(e[:3], rel=1e-10)


def test_a_law_known_by_its_transform_alone():
    g, L, built = problem(4, 2, 0.8), [1, 2, 50, 1e6], uniform(2)
    own = TokenLaw(name="own", d=2, sigma=1.0, sample=built.sample, log_mgf=built.log_mgf)
    expected = exact_errors(built, **g, lengths=L)
    found = exact_errors(own, **g, lengths=L)
    assert np.all(np.abs(fields(found) / fields(expected) - 1) <= found.relative_error)
    assert np.all(found.relative_error < 1e-10)
    named = TokenLaw(name="named", d=2, sigma=1.0, sample=built.sample, coordinates="uniform")
    assert fields(exact_errors(named, **g, lengths=L)) == pytest.approx(fields(expected), rel=1e-12)


@pytest.mark.parametrize("seed", [0, 5, 14, 22])
def test_the_estimated_error_is_honest_where_scores_are_loud(seed):
    rng = np.random.default_rng(seed)
    d, k = 1 + seed % 2, int(rng.integers(2, 6))
    p = np.maximum(rng.dirichlet(np.ones(k) * rng.choice([0.3, 1.0, 3.0])), 1e-4)
    p /= p.sum()
    x = rng.standard_normal((k, d))
    law = atoms(x - p @ x, p)
    own = TokenLaw(name="own", d=d, sigma=law.sigma, sample=law.sample, log_mgf=law.log_mgf)
    U = rng.choice([0.3, 1.0, 2.5]) * rng.standard_normal((d, d))
    V, z = rng.standard_normal((2, d)), rng.standard_normal(d)
    a, b = (exact_errors(each, U, V, [1, 2, 3, 10, 1e4, 1e8], query=z) for each in (law, own))
    assert np.all(np.abs(fields(b) / fields(a) - 1) <= a.relative_error + b.relative_error)
    assert np.all(a.relative_error < 1e-5)


@pytest.mark.parametrize("loud", [1.0, 10.0, 30.0])
def test_two_signs_however_loud_in_closed_form(loud):
    """C_2 is 0 of two equal tokens, H = 1/cosh^2 of others: grad_U errs in half of the prompts."""
    e = exact_errors(rademacher(1), [[loud]], [[3.0]], [1, 2], query=[1.0])
    assert e.grad_U == pytest.approx(9 / math.cosh(loud) ** 4 * np.array([1, 0.5]), rel=1e-12, abs=0)
    T = math.tanh(loud)
    assert e.output == pytest.approx([9 * (1 + T**2), 9 * ((1 - T) ** 2 + (1 + T) ** 2) / 4], rel=1e-12)
    assert np.all(e.relative_error < 1e-11)


def test_a_gradient_below_rounding_is_no_number(monkeypatch):
    """A sign as one of many, by integrals; the output is still known."""
    given: dict[str, Any] = dict(U=[[12.0]], V=[[1.0]], lengths=[1, 2, 1e12], query=[1.0])
    one = exact_errors(rademacher(1), **given)
    with monkeypatch.context() as patch:
        patch.setattr(numerics.attention.exact.any_law, "FEW_SIGNS", 0)
        many = exact_errors(rademacher(1), **given)
    assert many.output == pytest.approx(one.output, rel=1e-12)
    assert np.isnan(many.grad_U).tolist() == [False, True, False]
    assert many.grad_U[2] == pytest.approx(one.grad_U[2], rel=many.relative_error[2])
    assert many.relative_error.max() < 1e-3
    # From the transform alone the variance of one sign is lost as well; it is not given as if it
    # were known.
    own = exact_errors(SIGN, [[15.0]], [[1.0]], [1, 2], query=[1.0])
    assert np.isnan(own.grad_U).all()
    assert own.output == pytest.approx(
        exact_errors(rademacher(1), [[15.0]], [[1.0]], [1, 2], query=[1.0]).output, rel=1e-9
    )


@pytest.mark.parametrize("loud", [1e-6, 1.0, 15.0])
def test_the_integral_is_as_good_as_it_says(loud, monkeypatch):
    p = np.array([0.05, 0.25, 0.3, 0.4])
    x = np.array([[1.0, 2.0], [-1.0, 0.3], [0.5, -0.7], [2.0, 0.1]])
    for V in (np.eye(2), np.array([[1e-4, 0.0]])):
        given = dict(U=loud * np.array([[0.6, 0.1], [0.8, 0.0]]), V=V, lengths=[1, 2, 3, 7], query=[1.0, 0.0])
        law = atoms(x - p @ x, p)
        own = TokenLaw(name="own", d=2, sigma=law.sigma, sample=law.sample, log_mgf=law.log_mgf)
        exact = exact_errors(law, **given)
        with monkeypatch.context() as patch:
            patch.setattr(numerics.attention.exact.any_law, "are_few", lambda k, d, L: False)
            by_integral = exact_errors(law, **given)
        for e in (by_integral, exact_errors(own, **given)) if len(V) == 2 and loud <= 1 else (by_integral,):
            seen = ~np.isnan(fields(e))
            size = fields(exact)
            size[1] = np.maximum(size[1], 1e-6 * size[0] / np.array(given["lengths"]))
            assert np.all(
                (np.abs(fields(e) - fields(exact)) <= (e.relative_error + exact.relative_error) * size)[seen]
            )
            assert seen[:3].all()
            assert loud > 1 or seen.all()


def test_tokens_that_vanish():
    for law in (
        TokenLaw("zero", 1, 0.0, lambda rng, n: np.zeros((n, 1)), lambda a: 0 * a[..., 0]),
        sphere(2).image([[0.0, 0.0]]),
    ):
        assert not np.any(fields(exact_errors(law, [[1.0]], [[1.0]], [1, 2, 1000], query=[1.0])))


def test_lengths_in_any_order():
    g = problem(6, 2)
    e = fields(exact_errors(ball(2), **g, lengths=[1000, 1, 30]))
    for i, L in enumerate((1000, 1, 30)):
        assert fields(exact_errors(ball(2), **g, lengths=L))[:, 0] == pytest.approx(e[:, i], rel=1e-10)


UNKNOWN = TokenLaw(name="mystery", d=1, sigma=1.0, sample=lambda rng, n: rng.choice([-1.0, 1.0], (n, 1)))
SIGN = TokenLaw(name="sign", d=1, sigma=1.0, sample=rademacher(1).sample, log_mgf=rademacher(1).log_mgf)
OWN = TokenLaw(name="own", d=200, sigma=1.0, sample=uniform(200).sample, log_mgf=uniform(200).log_mgf)
ZEROS: dict[str, Any] = dict(U=np.zeros((200, 200)), V=np.ones((1, 200)), query=np.zeros(200))
GOOD: dict[str, Any] = dict(Gamma=sphere(2), U=np.eye(2), V=np.eye(2), lengths=[10], query=[1.0, 0.0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"Gamma": "sphere"}, TypeError, "Gamma must be an array of real numbers"),
        ({"Gamma": UNKNOWN, "U": [[1.0]], "V": [[1.0]], "query": [1.0]}, ValueError, "mystery has no log_"),
        ({"Gamma": sphere(3)}, ValueError, "d = 3 is needed, as the law sphere has it"),
        ({"query": [1e31, 0.0]}, ValueError, "overflow"),
        ({"query": [100.0, 0.0]}, ValueError, "scale U or the query down"),
        (
            {"Gamma": SIGN, "U": [[30.0]], "V": [[1.0]], "query": [1.0], "lengths": [2, 1e9]},
            ValueError,
            "sign and L = 1e.09 the output is known to",
        ),
        ({"Gamma": uniform(200), **ZEROS}, ValueError, "200 dimensions, beyond 128"),
        ({"Gamma": OWN, **ZEROS}, ValueError, "200 dimensions, beyond 10, up to which its moments are"),
    ],
)
def test_bad_input(change, error, message):
    with pytest.raises(error, match=message):
        exact_errors(**GOOD | change)


def test_averages_over_queries_are_gaussian_tokens_only():
    with pytest.raises(ValueError, match=r"law sphere are those at one query; .* numerics.attention_errors"):
        exact_errors(sphere(2), np.eye(2), np.eye(2), [10], query_cov=np.eye(2))
    e = exact_errors(gaussian(np.eye(2)), np.eye(2), np.eye(2), [10], query_cov=np.eye(2))
    assert e.output == pytest.approx(
        exact_errors(np.eye(2), np.eye(2), np.eye(2), [10], query_cov=np.eye(2)).output
    )
