"""Tokens that are not Gaussian: their coordinates, and errors against enumerated prompts."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from numba import njit
from scipy import stats

from numerics.attention.exact.dispatch import exact_errors
from numerics.attention.sampled import estimate
from numerics.attention.sampled.kernels import coordinates
from numerics.attention.sampled.kernels.queries import QUERY_MARK
from numerics.attention.sampled.sampler import LONGEST_PROMPT, PIECE, error_sampler
from numerics.attention.setting import AttentionSetting
from numerics.compiled.streams import LANES, key_of, start_lanes
from numerics.token_laws import TokenLaw, atoms, ball, embedding_table, gaussian, rademacher, sphere, uniform
from tests.numerics.attention.sampled.by_definition import squared_errors

attention_errors = partial(estimate.attention_errors, method="tokens")
token_sampler = partial(error_sampler, method="tokens")
SKEWED = atoms(np.array([[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]), [1 / 3, 1 / 3, 1 / 3])
TABLE = embedding_table([[5.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 1.0]])
LEVEL = 1e-7  # of each test of a coordinate; some forty of them
KINDS = ("normal", "sign", "uniform", "sphere", "ball")
DRAWN = {"normal": "normals", "sign": "signs", "uniform": "uniforms", "sphere": "spheres", "ball": "balls"}


def drawn(kind: str, rank: int, tokens: int) -> np.ndarray:
    """Coordinates (tokens × LANES, rank), as the kernel sees them."""
    fill = getattr(coordinates, DRAWN[kind])
    state, words = np.empty(4 * LANES, np.uint32), np.empty(rank * coordinates.SIZE, np.uint32)
    start_lanes(0, 0, tokens, *key_of(5), state)
    tile = np.zeros((rank + rank % 2 + coordinates.EXTRA.get(kind, 0)) * coordinates.SIZE, np.float32)
    found = []
    for start in range(0, tokens, coordinates.TILE):
        fill(
            rank, *((start,) if kind == "sign" else ()), state, *((words,) if kind != "normal" else ()), tile
        )
        rows = tile.reshape(-1, coordinates.SIZE)
        assert not np.any(rows[rank : rank + rank % 2]), "the row that makes the number of coordinates even"
        found.append(rows[:rank].T.astype(float))
    return np.concatenate(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [1, 3, 4])
def test_coordinates_have_the_law_they_are_named_after(kind, rank):
    g = drawn(kind, rank, 160)  # past the 128 signs of a draw
    n = len(g)
    square = (g**2).sum(axis=1)
    if kind == "sphere":
        assert np.allclose(square, rank, rtol=1e-5)
    if kind == "ball":
        assert stats.kstest((square / (rank + 2)) ** (rank / 2), "uniform").pvalue > LEVEL
    if kind == "sign":
        assert np.array_equal(np.unique(g), [-1, 1])
        counts = np.unique(g, axis=0, return_counts=True)[1]
        assert stats.chisquare(counts).pvalue > LEVEL
        # next tokens, next lanes: neither repeat nor cancel
        for lag in (1, LANES, 4 * LANES, 32 * LANES, 128 * LANES):
            assert abs(np.sum(g[lag:, 0] * g[:-lag, 0])) < stats.norm.isf(LEVEL) * math.sqrt(n - lag)
    marginal = {"normal": stats.norm, "uniform": stats.uniform(-math.sqrt(3), 2 * math.sqrt(3))}
    if kind in marginal:
        for column in g.T:
            assert stats.kstest(column, marginal[kind].cdf).pvalue > LEVEL
    # mean 0, covariance 1: each entry an average of n independent values of variance at most 3
    assert np.all(np.abs(g.mean(axis=0)) < stats.norm.isf(LEVEL) / math.sqrt(n))
    assert np.all(np.abs(g.T @ g / n - np.eye(rank)) < stats.norm.isf(LEVEL) * math.sqrt(3 / n))


def problem(d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((d, d)) / d, rng.standard_normal((2, d)), rng.standard_normal(d)


def run(law, U, V, z, L, pieces=4, **given) -> estimate.AttentionErrors:
    return attention_errors(law, U, V, z, L, replicates=pieces * PIECE, seed=3, threads=1, **given)


def enumerated(points: np.ndarray, weights: np.ndarray, U, V, z, L: int) -> np.ndarray:
    """Mean squared errors of output, grad_V, grad_U over all prompts of L of these points."""
    tilt = weights * np.exp(points @ U @ z - (points @ U @ z).max())
    tilt /= tilt.sum()
    h = tilt @ points
    H = (points - h).T @ (tilt[:, None] * (points - h))
    prompts = np.array(list(itertools.product(range(len(points)), repeat=L)))
    return squared_errors(points[prompts], U, V, z, h, H) @ weights[prompts].prod(axis=1)


def assert_means(e: estimate.AttentionErrors, expected: np.ndarray, allowed: float = 5.2) -> None:
    """Within 5.2 standard errors (2e-7 each), or the rounding of float32 where nothing varies."""
    for name, value in zip(("output", "grad_V", "grad_U"), expected, strict=True):
        found = getattr(e, name)
        assert np.all(
            np.abs(found.mean - value) < allowed * found.standard_error + 1e-5 * np.abs(value) + 1e-12
        ), name


@pytest.mark.parametrize("scale", [1.0, 3.0, 1e9])
@pytest.mark.parametrize("L", [1, 2, 5])
def test_signs_against_every_prompt(L, scale):
    U, V, z = problem(2)
    e = run(rademacher(2), scale * U, V, z, L, pieces=20)
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=2)))
    assert_means(e, enumerated(corners, np.full(4, 0.25), scale * U, V, z, L))


def test_a_wrong_law_is_told_apart():
    corners, given = 1.02 * np.array(list(itertools.product([-1.0, 1.0], repeat=2))), (*problem(2), 5)
    with pytest.raises(AssertionError):
        assert_means(run(rademacher(2), *given, pieces=20), enumerated(corners, np.full(4, 0.25), *given))


@pytest.mark.parametrize("shape", [(3, 2), (2, 3)])
def test_linear_images_of_signs(shape):
    U, V, z = problem(shape[0])
    A = np.random.default_rng(4).standard_normal(shape)
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=shape[1]))) @ A.T
    log_mgf = lambda a: np.log(np.cosh(a @ A)).sum(-1)
    sample = lambda rng, n: rng.choice([-1.0, 1.0], (n, shape[1])) @ A.T
    size = float(np.linalg.norm(A, 2))
    law = TokenLaw("corners", shape[0], size, sample, log_mgf, coordinates="sign", factor=A)
    e = run(law, U, V, z, 3, pieces=20)
    assert_means(e, enumerated(corners, np.full(len(corners), 1 / len(corners)), U, V, z, 3))


@pytest.mark.parametrize("make", [sphere, ball])
def test_an_image_on_a_line(make):
    """The second column of the factor is 0 but for rounding errors, which point anywhere."""
    law, (U, V, z) = make(2).image([[1.0, 1.0], [1.0, 1.0]]), problem(2)
    e = run(law, U, V, z, 9, pieces=8)
    exact = exact_errors(law, U, V, [9], query=z)
    assert_means(e, np.array([exact.output[0], exact.grad_V[0], exact.grad_U[0]]))


@pytest.mark.parametrize("method", ["tokens", "scores"])
def test_prompts_and_queries_of_the_longest_prompt_have_streams_of_their_own(method):
    """The length is a 32-bit word of the counter, whose first bit is that of the query."""
    assert LONGEST_PROMPT | QUERY_MARK < 2**32
    assert LONGEST_PROMPT & QUERY_MARK == 0
    sampler = error_sampler(AttentionSetting(np.eye(2), *problem(2)), method=method)
    with pytest.raises(ValueError, match="outside 1"):
        sampler.sums(LONGEST_PROMPT + 1, 0, 1)


@pytest.mark.parametrize("scale", [1.0, 1e9])
def test_a_law_with_a_sampler_only(scale):
    U, V, z = problem(2)
    points, weights = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]), np.full(3, 1 / 3)
    e = run(atoms(points, weights), scale * U, V, z, [1, 4])
    for i, L in enumerate(e.lengths):
        one = run(atoms(points, weights), scale * U, V, z, int(L), method="auto")
        assert one.method == "tokens"
        assert one.output.mean[0] == e.output.mean[i]
        assert_means(one, enumerated(points, weights, scale * U, V, z, int(L)))


def assert_same_means(one: estimate.AttentionErrors, two: estimate.AttentionErrors) -> None:
    """Of two independent samples at one length: within 5.2 standard errors of the difference."""
    for name in ("output", "grad_V", "grad_U"):
        a, b = getattr(one, name), getattr(two, name)
        assert abs(a.mean[0] - b.mean[0]) < 5.2 * math.hypot(a.standard_error[0], b.standard_error[0]), name


@pytest.mark.parametrize("make", [uniform, sphere, ball, gaussian])
def test_kernel_and_numpy_draw_the_same_law(make):
    law = make(np.diag([1.0, 0.5])) if make is gaussian else make(2)
    U, V, z = problem(2)
    plain = TokenLaw(name="sampled", d=2, sigma=law.sigma, sample=law.sample, log_mgf=law.log_mgf)
    for S in (None, 0.5 * np.eye(2)):
        assert_same_means(*(run(x, 2 * U, V, z, 30, query_cov=S) for x in (law, plain)))


@njit
def triangular_quantile(u):
    """Of the triangular law on [−√6, √6], of variance 1."""
    return math.sqrt(6) * (math.sqrt(2 * u) - 1 if u < 0.5 else 1 - math.sqrt(2 * (1 - u)))


def test_a_quantile_function_of_ones_own():
    side = math.sqrt(6)
    log_mgf = lambda a: 2 * np.log(np.sinc(0.5j * a * side / np.pi)).sum(-1)
    sample = lambda rng, n: rng.triangular(-side, 0, side, (n, 3))
    law = TokenLaw("triangular", 3, 1.0, sample, log_mgf, coordinates=triangular_quantile)
    plain = TokenLaw(name="triangular", d=3, sigma=1.0, sample=sample, log_mgf=log_mgf)
    assert_same_means(*(run(x, *problem(3), 20) for x in (law, plain)))


signs = lambda rng, n: rng.choice([-1.0, 1.0], (n, 2))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda x: x[:-1], "asked for"),
        (lambda x: x[:, 0], "asked for"),
        (lambda x: x * 1j, "asked for"),
        (lambda x: None, "asked for"),
        (lambda x: x * 1e200, "not finite"),
        (lambda x: x * np.nan, "not finite"),
    ],
)
def test_a_sampler_that_fails_later_is_told(spoil, says):
    """The few tokens that are drawn when a law is made were in order."""
    sample = lambda rng, n: signs(rng, n) if n < 10 else spoil(signs(rng, n))
    law = TokenLaw("fails later", 2, 1.0, sample, lambda a: np.log(np.cosh(a)).sum(-1))
    with pytest.raises(FloatingPointError if says == "not finite" else ValueError, match=says):
        attention_errors(law, *problem(2), 20, replicates=10, seed=1, threads=1)


def test_a_sampler_may_give_numbers_of_any_real_kind():
    log_mgf = lambda a: np.log(np.cosh(a)).sum(-1)
    kinds = {
        "float64": signs,
        "float32": lambda rng, n: signs(rng, n).astype(np.float32),
        "int": lambda rng, n: signs(rng, n).astype(float if n < 10 else int),
    }
    laws = [
        TokenLaw(name=name, d=2, sigma=1.0, sample=sample, log_mgf=log_mgf) for name, sample in kinds.items()
    ]
    found = [
        attention_errors(law, *problem(2), 20, replicates=10, seed=1, threads=1).grad_U.mean for law in laws
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize(
    "law", [rademacher(3), ball(3), atoms([[1.0], [-0.5]], [1 / 3, 2 / 3])], ids=lambda law: law.name
)
@pytest.mark.parametrize("random", [False, True])
def test_a_replicate_is_the_same_however_the_range_is_cut(law, random):
    U, V, z = problem(law.d)
    sampler = token_sampler(
        AttentionSetting(law, U, V, z, query_cov=np.eye(law.d) if random else None), seed=8
    )
    whole = sampler.values(150, 70, 300)
    known = np.concatenate([sampler.values(150, 70, 41), sampler.values(150, 111, 259)], axis=1)
    assert np.array_equal(whole, known)
    assert len(np.unique(whole[0])) > 100  # two atoms leave 151 means of 150 tokens


def test_a_gaussian_law_is_its_covariance():
    U, V, z = problem(3)
    G = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 0.0]])
    for method in ("tokens", "scores"):
        a, b = (
            estimate.attention_errors(x, U, V, z, 9, replicates=300, seed=1, method=method)
            for x in (G, gaussian(G))
        )
        assert np.array_equal(a.grad_U.mean, b.grad_U.mean)


def test_what_a_law_must_know():
    silent = TokenLaw(name="silent", d=2, sigma=1.0, sample=lambda rng, n: rng.choice([-1.0, 1.0], (n, 2)))
    with pytest.raises(ValueError, match="no log_mgf"):
        token_sampler(AttentionSetting(silent, *problem(2)))


@pytest.mark.parametrize("make", [rademacher, sphere, lambda d: SKEWED, lambda d: TABLE])
def test_errors_against_linear_attention_by_its_definition(make):
    """Output ``V Gamma U z``; gradients of the mean ``Gamma U z`` and the covariance Gamma."""
    law, R, L = make(2), 20_000, 6
    U, V = np.array([[0.8, 0.3], [-0.2, 0.6]]), np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]])
    z = np.array([1.0, -0.7])
    tokens = law.sample(np.random.default_rng(3), R * L).reshape(R, L, 2)
    drawn = squared_errors(tokens, U, V, z, law.covariance @ U @ z, law.covariance)
    found = estimate.attention_errors(law, U, V, z, [L], replicates=R, seed=5, against="linear")
    averaged = estimate.attention_errors(
        law, U, V, z, [L], query_cov=1e-12 * np.eye(2), replicates=R, seed=6, against="linear"
    )
    for run in (found, averaged):
        for values, one in zip(drawn, (run.output, run.grad_V, run.grad_U)):
            spread = math.hypot(values.std() / R**0.5, one.standard_error[0])
            assert abs(values.mean() - one.mean[0]) < 6 * spread


def test_what_errors_may_be_measured_against():
    U, V, z = problem(2)
    plain = AttentionSetting(gaussian(np.eye(2)), U, V, z)
    one, other = (
        estimate.attention_errors(plain, lengths=[5], replicates=200, seed=1, against=a)
        for a in ("limit", "linear")
    )
    assert one.output.mean == other.output.mean  # of Gaussian tokens the limit is linear
    with pytest.raises(ValueError, match="against = 'mean' is unknown; take one of limit, linear"):
        error_sampler(plain, against="mean")
    with pytest.raises(ValueError, match='take "tokens" against linear attention'):
        error_sampler(AttentionSetting(ball(2), U, V, z), method="scores", against="linear")
