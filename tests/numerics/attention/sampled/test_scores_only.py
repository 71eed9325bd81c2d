"""The sampler of scores: two other routes, the exact engine, symmetries and limits."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from numerics import exact_errors
from numerics.attention.sampled.kernels.scores_only import tilted_height
from numerics.attention.sampled.scores_only import CONDITIONED, prepare
from numerics.compiled.streams import key_of
from numerics.token_laws import TokenLaw, ball, gaussian, sphere
from tests.numerics.attention.sampled.by_definition import squared_errors
from tests.numerics.attention.sampled.score_problem import NONE, RANDOM, SURE, problem
from tests.numerics.compiled.plain_philox import plain_normals

Floats = NDArray[np.float64]
QUERY, OWN = 2**31, 2**63  # how the streams of the queries, and of this kernel, are marked


def law_of(kind: str, A: Floats) -> TokenLaw:
    white = {"normal": lambda r: gaussian(np.eye(r)), "sphere": sphere, "ball": ball}[kind]
    return white(A.shape[1]).image(A)


def sphere_of(kind: str, A: Floats) -> int:
    """Dimension of the sphere whose shadow the coordinates are; 0 for the normal law."""
    return 0 if kind == "normal" else A.shape[1] + 2 * (kind == "ball")


# -- The conditional means again, by tensors and by a cubature ----------------------------


def plain_scores(kind: str, A: Floats, L: int, replicate: int, seed: int) -> Floats:
    """x = e·g of the L tokens of a replicate, from the definition of its stream."""
    n = sphere_of(kind, A)
    if not n:
        return plain_normals(seed, replicate + OWN, L, L)
    a, b = plain_normals(seed, replicate + OWN, L, 2 * L).reshape(L, 2).T
    inside = np.exp(-(a * a + b * b) / (n - 2)) if n > 2 else 0.0
    return np.asarray(math.sqrt(n) * (np.sign(a) if n == 1 else np.sqrt(1 - inside) * a / np.hypot(a, b)))


def tensor_means(kind, A, U, V, z, x, *, without=""):
    """The three conditional means given the scores |AᵀUz| x; `without` leaves a part out."""
    n, b, r = sphere_of(kind, A), A.T @ U @ z, A.shape[1]
    e = b / np.linalg.norm(b)
    p = np.exp(np.linalg.norm(b) * (x - x.max()))
    p /= p.sum()
    v = (n - x**2) / (n - 1) if n else np.ones(x.size)
    phi = (n - 1) / (n + 1) if n else 1.0
    across = np.eye(r) - np.outer(e, e)
    mean, covariance = law_of(kind, np.eye(r)).tilted(b)
    xbar = p @ x
    second = (xbar - mean @ e) ** 2 * np.outer(e, e) + p**2 @ v * across
    # The softmax covariance is y'qy with q = diag(p) - pp'; its limit has the eigenvalue c2 across
    # e.
    q = np.diag(p) - np.outer(p, p)
    D, c2 = p @ (x - xbar) ** 2 - e @ covariance @ e, np.trace(across @ covariance) / (r - 1)
    eta = np.diag(q) @ v - c2
    excess = (1 - phi) * np.diag(q) ** 2 @ v**2
    pairs = 0.0 if without == "pairs" else v @ q**2 @ v - excess
    mixed = 0.0 if without == "mixed" else p**2 @ (v * (x - xbar) ** 2)
    ee = np.outer(e, e)
    four = lambda subscripts, X, Y: np.einsum(subscripts, X, Y)
    M = D**2 * four("ab,cd->abcd", ee, ee) + D * eta * (
        four("ab,cd->abcd", ee, across) + four("ab,cd->abcd", across, ee)
    )
    for subscripts in ("ac,bd->abcd", "ad,bc->abcd", "bc,ad->abcd", "bd,ac->abcd"):
        M = M + mixed * four(subscripts, ee, across)
    M = M + (eta**2 - excess) * four("ab,cd->abcd", across, across)
    M = M + pairs * (four("ac,bd->abcd", across, across) + four("ad,bc->abcd", across, across))
    X, Y = A.T @ A, A.T @ V.T @ V @ A
    grad_U = np.einsum("abcd,bc,da->", M, X, Y) * (z @ z)
    return np.array([np.trace(second @ Y), V.shape[0] * np.trace(second @ X), grad_U])


def rest_of_token(kind: str, x: float) -> list[tuple[float, Floats]]:
    """Weights and nodes in the plane across e, r = 3: exact for degree 4 in the rest of a token."""
    turn = np.pi * np.arange(6) / 3
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    if kind == "normal":
        nodes, masses = np.polynomial.hermite_e.hermegauss(3)
        masses = masses / masses.sum()
        return [
            (a * b, np.array([s, t])) for (a, s), (b, t) in itertools.product(zip(masses, nodes), repeat=2)
        ]
    if kind == "sphere":
        return [(1 / 6, math.sqrt(3 - x * x) * c) for c in circle]
    # the squared radius in a disc is uniform
    share = (5 - x * x) * (1 + np.array([-1, 1]) / math.sqrt(3)) / 2
    return [(1 / 12, math.sqrt(s) * c) for s in share for c in circle]


def enumerated_means(kind: str, A: Floats, U: Floats, V: Floats, z: Floats, x: Floats) -> Floats:
    """By the definitions of the errors, averaged over a product cubature for all tokens."""
    b = A.T @ U @ z
    frame = np.linalg.qr(np.column_stack([b, np.eye(3)]))[0]
    e = b / np.linalg.norm(b)
    choices = list(itertools.product(*(rest_of_token(kind, float(s)) for s in x)))
    tokens = (
        np.array([[s * e + frame[:, 1:] @ y for s, (_, y) in zip(x, choice)] for choice in choices]) @ A.T
    )
    masses = np.array([math.prod(mass for mass, _ in choice) for choice in choices])
    return squared_errors(tokens, U, V, z, *law_of(kind, A).tilted(U @ z)) @ masses


@pytest.mark.parametrize(
    ("kind", "L"), [(k, L) for k in CONDITIONED for L in (1, 2, 3) if (k, L) != ("ball", 3)]
)
def test_conditional_means_by_enumeration(kind, L):
    """Given the scores errors have degree 4 in the rest of each token: the cubature is exact."""
    A, U, V, z = problem()
    x = plain_scores(kind, A, L, 7, 3)
    found, expected = tensor_means(kind, A, 2 * U, V, z, x), enumerated_means(kind, A, 2 * U, V, z, x)
    assert np.allclose(found, expected, rtol=1e-11)
    if L > 1:
        for part in ("pairs", "mixed"):
            assert not np.isclose(
                tensor_means(kind, A, 2 * U, V, z, x, without=part)[2], expected[2], rtol=1e-4
            )


@pytest.mark.parametrize("kind", CONDITIONED)
@pytest.mark.parametrize("L", [1, 2, 7, 63, 64, 65, 130])
@pytest.mark.parametrize("random", [False, True])
def test_the_same_scores_in_numpy(kind, L, random):
    A, U, V, z = problem()
    F, seed, first = np.sqrt(RANDOM)[:, 1:] if random else NONE, 2**33 + 11, 5
    values = prepare(kind, A, 2 * U, V, z, F).values(L, first, 3, key_of(seed))
    for r in range(3):
        query = z + F @ plain_normals(seed, first + r + OWN, QUERY + L, 3) if random else z
        x = plain_scores(kind, A, L, first + r, seed)
        assert np.allclose(values[:, r], tensor_means(kind, A, 2 * U, V, query, x), rtol=5e-5)


@pytest.mark.parametrize("n", [2, 3, 6, 41])
def test_tilted_coordinate(n):
    """Both branches, about where they meet, against quadrature with sinⁿ⁻² θ e^{c cos θ}."""
    from numerics.attention.sampled.scores_only import _expansion

    meet = 60.0 + 20 * (n - 1)
    for rate in (0.0, 0.3, 5.0, meet - 1, meet + 1, 3e4):
        nodes, masses = np.polynomial.legendre.leggauss(300)
        # beyond, nothing is left
        theta = (nodes + 1) / 2 * min(math.pi, 6 * math.sqrt(max(n, 9) / max(rate, 1e-9)))
        x = -2 * np.sin(theta / 2) ** 2
        w = masses * np.exp(rate * x) * np.sin(theta) ** (n - 2)
        mean = w @ x / w.sum()
        spread = w @ (x - mean) ** 2 / w.sum()
        assert np.allclose(tilted_height(n, rate, _expansion(n)), (mean, spread), rtol=1e-8)
    known = (math.tanh(2.0) - 1, 1 / math.cosh(2.0) ** 2)
    assert np.allclose(tilted_height(1, 2.0, _expansion(1)), known, rtol=1e-14)


# -- Means --------------------------------------------------------------------------------


def gap(values: Floats, exact: Floats) -> Floats:
    """Differences from the exact means, in 5.2 standard errors and the 1e-6 of float32."""
    error = values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])
    return np.asarray(np.abs(values.mean(axis=1) - exact) / (SURE * error + 1e-6 * exact + 1e-300))


def assert_means(values: Floats, exact: Floats) -> None:
    """False with probability 2e-7 an entry, below 2e-4 over all cases of this file."""
    assert np.all(values.max(axis=1) <= 0.02 * values.sum(axis=1))
    assert np.all(gap(values, exact) <= 1)


three = lambda e: np.stack([getattr(e, q) for q in ("output", "grad_V", "grad_U")])
drawn = lambda sampler, L, count, seed=4: sampler.values(L, 0, count, key_of(seed))
CASES: dict[str, Callable[[], tuple[Floats, Floats, Floats, Floats]]] = {
    "full": lambda: problem(columns=4),
    "singular": lambda: problem(columns=2),
    "no scores": lambda: (lambda A, U, V, z: (A, 0 * U, V, z))(*problem()),
    "no query": lambda: (lambda A, U, V, z: (A, U, V, 0 * z))(*problem()),
    "steep": lambda: (lambda A, U, V, z: (A, 4 * U, V, z))(*problem()),
    "many outputs": lambda: problem(d_out=7),
    "query not seen": lambda: (lambda A, U, V, z: (A, np.outer(np.linalg.svd(A)[0][:, 3], np.ones(4)), V, z))(
        *problem()
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_query_against_the_exact_engine(case):
    A, U, V, z = CASES[case]()
    lengths = [1, 2, 9, 300]
    exact = exact_errors(A @ A.T, U, V, lengths, query=z)
    sampler = prepare("normal", A, U, V, z, NONE)
    for i, L in enumerate(lengths):
        assert_means(drawn(sampler, L, 6000), three(exact)[:, i])


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_random_queries_against_the_exact_engine(columns):
    A, U, V, z = problem(columns)
    lengths = [1, 2, 60]
    exact = exact_errors(A @ A.T, U / 2, V, lengths, query_cov=RANDOM, tolerance=1e-4)
    sampler = prepare("normal", A, U / 2, V, 0 * z, np.sqrt(RANDOM))
    for i, L in enumerate(lengths):
        values = drawn(sampler, L, 20_000)
        assert_means(values, three(exact)[:, i])


def test_parts_of_the_formula_are_told_apart():
    A, U, V, z = problem()
    (nine,) = three(exact_errors(A @ A.T, U, V, [9], query=z)).T
    x = [plain_scores("normal", A, 9, r, 4) for r in range(600)]
    means = lambda part: np.stack([tensor_means("normal", A, U, V, z, s, without=part) for s in x], axis=1)
    assert np.all(gap(means(""), nine) <= 1)
    assert gap(means("pairs"), nine)[2] > 1
    assert gap(means("mixed"), nine)[2] > 1
    (many,) = three(exact_errors(A @ A.T, U / 4, V, [300], query=z)).T
    assert_means(drawn(prepare("normal", A, U / 4, V, z, NONE), 300, 6000), many)
    assert np.all(gap(drawn(prepare("normal", 1.05 * A, U / 4, V, z, NONE), 300, 6000), many) > 1)


def token_errors(law: TokenLaw, U: Floats, V: Floats, z: Floats, L: int, count: int) -> Floats:
    tokens = law.sample(np.random.default_rng(L), count * L).reshape(count, L, -1)
    return squared_errors(tokens, U, V, z, *law.tilted(U @ z))


@pytest.mark.parametrize(
    ("kind", "columns"), [(k, r) for k in ("sphere", "ball") for r in (1, 2, 3, 4)] + [("normal", 3)]
)
@pytest.mark.parametrize("scale", [0.0, 1.0, 6.0])
def test_means_and_variances_against_whole_tokens(kind, columns, scale):
    """Conditioning never adds variance. That of a sample variance is (m4 − s⁴)/n."""
    A, U, V, z = problem(columns)
    sampler = prepare(kind, A, scale * U, V, z, NONE)
    spread = lambda x: np.sqrt((((x - x.mean(axis=1)[:, None]) ** 2).var(axis=1)) / x.shape[1])
    for L in (1, 3, 20):
        ours, theirs = drawn(sampler, L, 10_000), token_errors(law_of(kind, A), scale * U, V, z, L, 10_000)
        error = np.sqrt((ours.var(axis=1) + theirs.var(axis=1)) / 10_000)

        slack = 1e-6 * theirs.mean(axis=1) + 1e-9
        assert np.all(np.abs(ours.mean(axis=1) - theirs.mean(axis=1)) <= SURE * error + slack)
        assert np.all(
            ours.var(axis=1) <= theirs.var(axis=1) + SURE * np.hypot(spread(ours), spread(theirs)) + slack**2
        )


def test_less_variance_in_many_dimensions():
    A, U, V, z = problem(columns=4, d_out=4)
    ours = drawn(prepare("normal", A, U / 4, V, z, NONE), 50, 10_000)
    theirs = token_errors(law_of("normal", A), U / 4, V, z, 50, 10_000)
    assert ours[1].var() < theirs[1].var() / 3


# -- Symmetries and limits ----------------------------------------------------------------


@pytest.mark.parametrize("kind", CONDITIONED)
def test_only_the_law_matters(kind):
    A, U, V, z = problem(d_out=3)
    turn = lambda seed: np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    values = drawn(prepare(kind, A, U, V, z, NONE), 20, 200)
    assert np.allclose(drawn(prepare(kind, A @ turn(1), U, turn(2) @ V, z, NONE), 20, 200), values, rtol=1e-5)


@pytest.mark.parametrize("kind", CONDITIONED)
@pytest.mark.parametrize("octaves", [16, 40, 100])
def test_a_short_direction_has_its_score(kind, octaves):
    """U and V, exact in floats, see the short column alone: its length is a matter of units."""
    along, across = np.array([3.0, 4.0]), np.array([-4.0, 3.0])

    def output(length: float) -> Floats:
        factor = np.column_stack([along, length * (across + 2.0**-50 * along)])  # orthogonal but for rounding
        seen = np.outer(across, across) / length
        return drawn(prepare(kind, factor, seen / 512, seen, across, np.zeros((2, 0))), 20, 100)[0]

    assert np.allclose(output(2.0**-octaves), output(0.5), rtol=1e-4)


def test_a_ball_is_the_shadow_of_a_sphere():
    A, U, V, z = problem()
    values = drawn(prepare("ball", A, U, V, z, NONE), 20, 200)
    assert np.allclose(
        drawn(prepare("sphere", np.hstack([A, np.zeros((4, 2))]), U, V, z, NONE), 20, 200), values, rtol=1e-9
    )


def test_scaling():
    A, U, V, z = problem()
    a = drawn(prepare("normal", A, U, V, z, NONE), 40, 100)
    b = drawn(prepare("normal", 2 * A, U / 2, 8 * V, z, NONE), 40, 100)
    assert np.allclose(b, a * np.array([[64 * 4], [4], [64 * 16]]), rtol=1e-12)


def test_no_variance_no_error():
    _, U, V, z = problem()
    for kind in CONDITIONED:
        assert np.all(drawn(prepare(kind, np.zeros((4, 3)), U, V, z, np.eye(4)), 20, 10) == 0)


@pytest.mark.parametrize("size", [1e3, 1e10, 1e25])
def test_steep_scores_do_not_overflow(size):
    """One of two tokens has all the weight: E max = 1/√π and E max² = 1 of two normals."""
    A, U, V, z = problem()
    U = size * U / np.linalg.norm(A.T @ U @ z)
    e = A.T @ U @ z / size
    Y = (V @ A).T @ (V @ A)
    values = drawn(prepare("normal", A, U, V, z, NONE), 2, 2000)
    exact = e @ Y @ e * (size**2 - 2 * size / math.sqrt(math.pi) + 1) + np.trace(Y) - e @ Y @ e
    assert values[0].mean() == pytest.approx(exact, rel=SURE * 1.2 / size + 1e-5)
    # C = 0, but for the prompts with two scores within some 10/size
    assert values[2].mean() == pytest.approx(z @ z * np.sum((V @ A @ A.T) ** 2), rel=30 / size + 1e-5)


def test_steep_scores_on_the_sphere():
    """In R^3 t is uniform: the nearer of two tokens has E (1 − t)² = E (1 − t²) = 2/3."""
    A, U, V, z = np.eye(3), 1e12 * np.eye(3), np.eye(3), np.array([1.0, 0, 0])
    values = drawn(prepare("sphere", A, U, V, z, np.zeros((3, 0))), 2, 20_000)
    assert abs(values[0].mean() - 3 * (2 / 3 + 2 / 3)) < SURE * values[0].std() / math.sqrt(20_000)
    assert np.all(values[2] < 1e-10)  # C and its limit are both 0
